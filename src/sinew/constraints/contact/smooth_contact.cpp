#include "sinew/constraints/contact/smooth_contact.hpp"

#include "sinew/constraints/contact/contact_blocks.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

/// A point at which a shape reaches below the plane. World axes.
struct Touch {
  double gap;  ///< negative [m]
  Vec3 n;      ///< out of the plane
  Vec3 x;      ///< the shape's point
  /// Motion of x over the shape as the normal turns against it: −C (δn − θ × n), θ the turn of the
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
  /// validate refuses these.
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
void over_touches(const SkeletonAt& in, BodyIndex body, const std::vector<ContactPart>& parts,
                  const ContactPlane& plane, Visit&& visit) {
  const Pose E_WA = body_pose(in.skeleton, in.ws, body);
  const Pose E_WB = body_pose(in.skeleton, in.ws, plane.body);
  const Vec3 n = E_WB.R * plane.normal, on_plane = E_WB * plane.point;
  for (const ContactPart& part : parts) {
    const Pose E_WS = E_WA * part.E_BS;
    std::visit(TouchFinder(E_WS, n, n.dot(E_WS.p - on_plane), visit), part.shape);
  }
}

/// K and D of one contact.
void add_blocks(const SkeletonAt& in, const SmoothContactLaw& law, const Touch& touch,
                const AttachedPoint& a, const AttachedPoint& b, ContactBlocks& out) {
  const Vec3 u = a.velocity - b.velocity;
  const SmoothContactSlopes slopes = contact_slopes(law, touch.gap, touch.n, u);
  out.add(in, a, b,
          {.f = contact_force(law, touch.gap, touch.n, u).f,
           .df_dgap = slopes.df_dgap,
           .df_du = slopes.df_du,
           .n = touch.n,
           .C = touch.C,
           .share = 0});
}

}  // namespace

SmoothContact::SmoothContact(std::string name, BodyIndex body, std::vector<ContactPart> parts,
                             const ContactPlane& plane, const SmoothContactLaw& law)
    : Force(std::move(name)), body_(body), parts_(std::move(parts)), plane_(plane), law_(law) {
  const double length = plane_.normal.stableNorm();
  if (length > 0) plane_.normal /= length;
}

void SmoothContact::add_force(const SkeletonAt& in, AppliedForces& out) const {
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

void SmoothContact::add_derivatives(const SkeletonAt& in, StiffnessModel,
                                    ForceDerivatives& out) const {
  ContactBlocks sum;
  bool touches = false;
  over_touches(in, body_, parts_, plane_, [&](const Touch& touch) {
    add_blocks(in, law_, touch, at_world_point(in, body_, touch.x),
               at_world_point(in, plane_.body, touch.x), sum);
    touches = true;
  });
  sum.hand_over(link_of(in.skeleton, body_), link_of(in.skeleton, plane_.body), touches, out);
}

double SmoothContact::potential_energy(const SkeletonAt& in) const {
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
