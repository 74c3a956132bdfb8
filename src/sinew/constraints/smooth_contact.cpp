#include "sinew/constraints/smooth_contact.hpp"

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

/// Where a shape reaches below the plane. World axes.
struct Touch {
  double gap;  ///< negative [m]
  Vec3 n;      ///< out of the plane
  Vec3 x;      ///< the shape's point
  /// How x moves over the shape as the normal turns against it: −C (δn − θ × n), θ the turn of the
  /// shape. r for a ball, 0 for a corner [m].
  Mat3 C;
};

/// The touching points of one shape, found in the shape's frame: n is the plane's normal in the
/// world, `height` that of the shape's origin above it.
template <class Visit>
class TouchFinder {
 public:
  TouchFinder(const Pose& E_WS, const Vec3& n, double height, Visit& visit)
      : E_WS_(E_WS), n_(n), n_S_(E_WS.R.transpose() * n), height_(height), visit_(visit) {}

  void operator()(const Sphere& s) { ball(Vec3::Zero(), s.radius); }
  void operator()(const Capsule& s) {
    for (const double end : {-0.5, 0.5}) ball(Vec3(0, 0, end * s.height), s.radius);
  }
  void operator()(const Cuboid& s) {
    for (int corner = 0; corner < 8; ++corner)
      ball(0.5 * s.sides.cwiseProduct(
                     Vec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1)),
           0);
  }
  void operator()(const MeshVertices& s) {
    for (const Vec3& x_S : s.points) ball(x_S, 0);
  }
  /// The support point of contact_geometry.md, towards −n.
  void operator()(const Ellipsoid& s) {
    const double reach = s.radii.cwiseProduct(n_S_).norm();
    if (height_ - reach >= 0) return;
    const Vec3 squares = s.radii.cwiseAbs2();
    const Vec3 x_S = -squares.cwiseProduct(n_S_) / reach;
    const Mat3 C_S = (Mat3(squares.asDiagonal()) - x_S * x_S.transpose()) / reach;
    visit_({height_ - reach, n_, E_WS_ * x_S, E_WS_.R * C_S * E_WS_.R.transpose()});
  }
  /// Refused by validate.
  void operator()(const Cylinder&) {}
  void operator()(const Plane&) {}

 private:
  void ball(const Vec3& c_S, double radius) {
    const double gap = n_S_.dot(c_S) + height_ - radius;
    if (gap >= 0) return;
    visit_({gap, n_, E_WS_ * c_S - radius * n_, radius * Mat3::Identity()});
  }

  const Pose& E_WS_;
  Vec3 n_, n_S_;
  double height_;
  Visit& visit_;
};

/// Calls visit(Touch) for every point below the plane.
template <class Visit>
void over_touches(const ForceInput& in, BodyIndex body, const std::vector<ContactPart>& parts,
                  const ContactPlane& plane, Visit&& visit) {
  const Pose E_WA = body_pose(in.skeleton, in.ws, body);
  const Pose E_WB = body_pose(in.skeleton, in.ws, plane.body);
  const Vec3 n = E_WB.R * plane.normal, on_plane = E_WB * plane.point;
  for (const ContactPart& part : parts) {
    const Pose E_WS = E_WA * part.E_BS;
    std::visit(TouchFinder(E_WS, n, n.dot(E_WS.p - on_plane), visit), part.shape);
  }
}

/// The point of a body that is at x_W now.
AttachedPoint at_world_point(const ForceInput& in, BodyIndex body, const Vec3& x_W) {
  const int link = link_of(in.skeleton, body);
  return attach_at(in.ws, link, x_W - in.ws.link[static_cast<size_t>(link)].p);
}

/// K and D of one contact between the body's link a and the plane's link b: Eqs. (6) to (9).
struct Blocks {
  Mat6 K_aa = Mat6::Zero(), K_ab = Mat6::Zero(), K_ba = Mat6::Zero(), K_bb = Mat6::Zero();
  Mat6 D_aa = Mat6::Zero(), D_ab = Mat6::Zero(), D_ba = Mat6::Zero(), D_bb = Mat6::Zero();

  void add(const ForceInput& in, const SmoothContactLaw& law, const Touch& touch,
           const AttachedPoint& a, const AttachedPoint& b);
};

void Blocks::add(const ForceInput& in, const SmoothContactLaw& law, const Touch& touch,
                 const AttachedPoint& a, const AttachedPoint& b) {
  const Vec3 u = a.velocity - b.velocity;
  const Vec3 f = contact_force(law, touch.gap, touch.n, u).f;
  const SmoothContactSlopes slopes = contact_slopes(law, touch.gap, touch.n, u);
  const Vec3& w_a = in.ws.link[static_cast<size_t>(a.link)].w;
  const Vec3& w_b = in.ws.link[static_cast<size_t>(b.link)].w;
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Eigen::RowVector3d n = touch.n.transpose();
  const Mat36 f_turns = on_rotation(skew(f)), u_turns = on_rotation(skew(a.velocity));
  const Mat36 roll = on_rotation(touch.C * skew(touch.n));

  // Motion of x over a and over b, from ξ_a: −roll and Γ_a − roll. Then δf seen from b.
  const Mat36 over_b_a = G_a - roll;
  const Mat36 df_a = slopes.df_dgap * (n * G_a) +
                     slopes.df_du * (-u_turns - skew(w_a) * roll - skew(w_b) * over_b_a);
  K_aa += G_a.transpose() * (df_a + f_turns);
  K_aa.topRows<3>() += skew(f) * roll;
  D_aa += G_a.transpose() * slopes.df_du * G_a;
  if (b.link == 0) return;  // the world does not move

  // From ξ_b: +roll and roll − Γ_b.
  const Mat36 over_b_b = roll - G_b;
  const Mat36 df_b = -slopes.df_dgap * (n * G_b) +
                     slopes.df_du * (u_turns + skew(w_a) * roll - skew(w_b) * over_b_b);
  K_ab += G_a.transpose() * (df_b - f_turns);
  K_ab.topRows<3>() -= skew(f) * roll;
  K_ba -= G_b.transpose() * df_a;
  K_ba.topRows<3>() += skew(f) * over_b_a;
  K_bb -= G_b.transpose() * df_b;
  K_bb.topRows<3>() += skew(f) * over_b_b;
  D_ab -= G_a.transpose() * slopes.df_du * G_b;
  D_ba -= G_b.transpose() * slopes.df_du * G_a;
  D_bb += G_b.transpose() * slopes.df_du * G_b;
}

}  // namespace

SmoothContact::SmoothContact(std::string name, BodyIndex body, std::vector<ContactPart> parts,
                             const ContactPlane& plane, const SmoothContactLaw& law)
    : Force(std::move(name)), body_(body), parts_(std::move(parts)), plane_(plane), law_(law) {
  const double length = plane_.normal.stableNorm();
  if (length > 0) plane_.normal /= length;
}

void SmoothContact::add_force(const ForceInput& in, AppliedForces& out) const {
  over_touches(in, body_, parts_, plane_, [&](const Touch& touch) {
    const AttachedPoint a = at_world_point(in, body_, touch.x);
    const AttachedPoint b = at_world_point(in, plane_.body, touch.x);
    const SmoothContactForce force =
        contact_force(law_, touch.gap, touch.n, a.velocity - b.velocity);
    out.add_force(a.link, a.offset, force.f);
    out.add_force(b.link, b.offset, -force.f);
    out.power += force.power;
  });
}

void SmoothContact::add_derivatives(const ForceInput& in, JacobianKind,
                                    ForceDerivatives& out) const {
  Blocks sum;
  bool touches = false;
  over_touches(in, body_, parts_, plane_, [&](const Touch& touch) {
    sum.add(in, law_, touch, at_world_point(in, body_, touch.x),
            at_world_point(in, plane_.body, touch.x));
    touches = true;
  });
  const int a = link_of(in.skeleton, body_), b = link_of(in.skeleton, plane_.body);
  if (touches) {
    out.add(a, a, sum.K_aa, sum.D_aa);
    out.add(b, b, sum.K_bb, sum.D_bb);
  }
  // Blocks between links are handed over even where they are zero: a list that grew at touch-down
  // would allocate in the middle of a run.
  out.add(a, b, sum.K_ab, sum.D_ab);
  out.add(b, a, sum.K_ba, sum.D_ba);
}

double SmoothContact::potential_energy(const ForceInput& in) const {
  double energy = 0;
  over_touches(in, body_, parts_, plane_,
               [&](const Touch& touch) { energy += contact_energy(law_, touch.gap); });
  return energy;
}

void SmoothContact::validate(const Skeleton& skeleton) const {
  const std::string element = "force '" + name() + "'";
  require_body(skeleton, body_, name());
  require_body(skeleton, plane_.body, name());
  if (body_ == plane_.body)
    throw Error(element, "has its shapes and its ground on one body", "name two different bodies");
  if (parts_.empty()) throw Error(element, "has no shapes", "give at least one");
  for (const ContactPart& part : parts_) {
    sinew::validate(part.shape, element);
    require_finite(part.E_BS.R.allFinite() && part.E_BS.p.allFinite(), name(),
                   "a shape's placement");
    if (std::holds_alternative<Cylinder>(part.shape) || std::holds_alternative<Plane>(part.shape))
      throw Error(element, "cannot keep a " + type_name(part.shape) + " above the ground",
                  "use a sphere, capsule, cuboid, ellipsoid or the vertices of a mesh");
  }
  require_finite(plane_.point.allFinite() && plane_.normal.allFinite(), name(), "the ground");
  if (plane_.normal.isZero(0))
    throw Error(element, "the ground's normal is zero", "give a direction");
  law_.validate(name());
}

}  // namespace sinew
