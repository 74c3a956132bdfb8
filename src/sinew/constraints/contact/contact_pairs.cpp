#include "sinew/constraints/contact/contact_pairs.hpp"

#include <cmath>

#include "sinew/constraints/contact/box_contact.hpp"
#include "sinew/constraints/contact/contact_rates.hpp"
#include "sinew/constraints/contact/signed_distance.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace {

// Round points: the parts of a shape that can touch first, each a centre with the shape's surface
// `radius` around it.

int point_count(const Sphere&) { return 1; }
Vec3 point(const Sphere&, int) { return Vec3::Zero(); }
double point_radius(const Sphere& s) { return s.radius; }

int point_count(const Capsule&) { return 2; }
Vec3 point(const Capsule& s, int i) { return {0, 0, (i == 0 ? -0.5 : 0.5) * s.height}; }
double point_radius(const Capsule& s) { return s.radius; }

int point_count(const Cuboid&) { return 8; }
Vec3 point(const Cuboid& s, int i) {
  return 0.5 * s.sides.cwiseProduct(Vec3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1));
}
double point_radius(const Cuboid&) { return 0; }

int point_count(const MeshVertices& s) { return static_cast<int>(s.points.size()); }
Vec3 point(const MeshVertices& s, int i) { return s.points[static_cast<std::size_t>(i)]; }
double point_radius(const MeshVertices&) { return 0; }

template <class T, class... Types>
concept OneOf = (std::is_same_v<T, Types> || ...);

/// A touches B with its round points alone: A is made of them, or B is flat.
template <class A, class B>
concept TouchesByPoints = (OneOf<A, Sphere, MeshVertices> &&
                           OneOf<B, Plane, Sphere, Capsule, Cuboid, Cylinder, Ellipsoid>) ||
                          (OneOf<A, Capsule, Cuboid> && OneOf<B, Plane>);

template <class B>
Contact point_contact(const Vec3& c_W, double radius, const B& b, const Pose& E_WB, int feature) {
  const SignedDistance d = signed_distance(b, E_WB.R.transpose() * (c_W - E_WB.p));
  const Vec3 n = E_WB.R * d.n;
  return {c_W - radius * n, c_W - d.s * n, n, d.s - radius, feature};
}

template <class B>
ContactDerivatives point_contact_derivatives(const Pose& E_WA, const Vec3& c_W, const B& b,
                                             const Pose& E_WB, const Contact& contact) {
  const Mat3 H = distance_hessian(b, E_WB.R.transpose() * (c_W - E_WB.p));
  return round_point_derivatives(E_WA, c_W, E_WB, H, contact);
}

void add_if_near(const Contact& contact, double margin, std::vector<Contact>& contacts) {
  if (contact.gap <= margin) contacts.push_back(contact);
}

template <class A, class B>
requires TouchesByPoints<A, B>
void add(const A& a, const Pose& E_WA, const B& b, const Pose& E_WB, double margin,
         std::vector<Contact>& contacts) {
  for (int i = 0; i < point_count(a); ++i)
    add_if_near(point_contact(E_WA * point(a, i), point_radius(a), b, E_WB, i), margin, contacts);
}

template <class A, class B>
requires TouchesByPoints<A, B> ContactDerivatives derivatives(const A& a, const Pose& E_WA,
                                                              const B& b, const Pose& E_WB,
                                                              const Contact& contact) {
  return point_contact_derivatives(E_WA, E_WA * point(a, contact.feature), b, E_WB, contact);
}

// Smooth shapes on a plane: their point farthest along m = −n, the support point x(m), in A.

struct Support {
  Vec3 x_S;
  Mat3 dx_dm;  ///< for changes of the unit vector m
};

Support support(const Ellipsoid& s, const Vec3& m, int) {
  const Vec3 squares = s.radii.cwiseAbs2();
  const double rho = s.radii.cwiseProduct(m).norm();
  const Vec3 x = squares.cwiseProduct(m) / rho;
  return {x, (Mat3(squares.asDiagonal()) - x * x.transpose()) / rho};
}

/// Features of a cylinder: on either rim (0: the end at −z) the lowest point, which moves around as
/// the cylinder rolls, and four points fixed to it, which carry it when it stands.
constexpr int kRimPoints = 5;

Support support(const Cylinder& s, const Vec3& m, int feature) {
  const Vec3 centre(0, 0, (feature < kRimPoints ? -0.5 : 0.5) * s.height);
  const int k = feature % kRimPoints;
  const Vec3 quarters[] = {Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitX(), -Vec3::UnitY()};
  if (k > 0) return {centre + s.radius * quarters[k - 1], Mat3::Zero()};
  const Vec3 down(m.x(), m.y(), 0);
  const double length = down.stableNorm();
  if (!(length > 0)) return {centre + s.radius * Vec3::UnitX(), Mat3::Zero()};  // upright
  const Vec3 u = down / length;
  const Mat3 turn = Mat3(Vec3(1, 1, 0).asDiagonal()) - u * u.transpose();
  return {centre + s.radius * u, s.radius / length * turn};
}

int support_count(const Ellipsoid&) { return 1; }
int support_count(const Cylinder&) { return 2 * kRimPoints; }

template <OneOf<Ellipsoid, Cylinder> A>
void add(const A& a, const Pose& E_WA, const Plane& b, const Pose& E_WB, double margin,
         std::vector<Contact>& contacts) {
  const Vec3 m = -(E_WA.R.transpose() * E_WB.R.col(1));
  for (int i = 0; i < support_count(a); ++i)
    add_if_near(point_contact(E_WA * support(a, m, i).x_S, 0, b, E_WB, i), margin, contacts);
}

// A point of A that also moves over the surface by R_A ∂x/∂m dm; m = −R_Aᵀ n, so R_A dm = −(dn −
// ω_A × n).
template <OneOf<Ellipsoid, Cylinder> A>
ContactDerivatives derivatives(const A& a, const Pose& E_WA, const Plane& b, const Pose& E_WB,
                               const Contact& contact) {
  const Vec3& n = contact.n;
  ContactDerivatives d = point_contact_derivatives(E_WA, contact.x_A, b, E_WB, contact);
  const Mat3 dx_dm = support(a, -(E_WA.R.transpose() * n), contact.feature).dx_dm;
  const Mat3x12 slide =
      -E_WA.R * dx_dm * E_WA.R.transpose() * (d.dn - vector_rates(Side::a, E_WA, n));
  d.dx_A += slide;
  d.dx_B += slide - n * (n.transpose() * slide);
  return d;
}

// Capsule against capsule. The distance of a point of A's axis from B is a convex function: it is
// least where the axes cross, at an end of A, or abreast of an end of B; and along a whole stretch
// where the two are parallel, which ends at such ends. So an end counts where the distance does not
// fall farther in, with a tolerance of 0.02 on the slope: capsules that are nearly parallel keep
// the contacts at both ends of their stretch, and none appears suddenly. An end of B that meets an
// end of A is left to A's.

constexpr int kFirstEndOfB = 2, kCrossing = 4;
constexpr double kLevel = 0.02;

LinePair axes(const Pose& E_WA, const Pose& E_WB) {
  return nearest_points(E_WA.p, E_WA.R.col(2), E_WB.p, E_WB.R.col(2));
}

struct EndContact {
  Contact contact;
  bool counts;
};

/// End i of `mine` against `other`, in the order (mine, other).
EndContact end_contact(const Capsule& mine, const Pose& E, int i, const Capsule& other,
                       const Pose& E_other, int feature) {
  const Contact c = point_contact(E * point(mine, i), mine.radius, other, E_other, feature);
  const double outward = (i == 0 ? -1 : 1) * E.R.col(2).dot(c.n);
  return {c, outward <= kLevel};
}

void add(const Capsule& a, const Pose& E_WA, const Capsule& b, const Pose& E_WB, double margin,
         std::vector<Contact>& contacts) {
  const LinePair l = axes(E_WA, E_WB);
  const bool cross =
      !l.parallel && std::abs(l.s) < 0.5 * a.height && std::abs(l.t) < 0.5 * b.height;
  if (cross) {
    const Vec3 x_A = l.p + l.s * l.a - a.radius * l.n, x_B = l.q + l.t * l.b + b.radius * l.n;
    add_if_near({x_A, x_B, l.n, l.n.dot(l.p - l.q) - a.radius - b.radius, kCrossing}, margin,
                contacts);
  }
  EndContact ends[4];
  int count = 0, nearest = 0;
  const auto consider = [&](const EndContact& end) {
    ends[count] = end;
    if (end.contact.gap < ends[nearest].contact.gap) nearest = count;
    ++count;
  };
  for (int i = 0; i < 2; ++i) consider(end_contact(a, E_WA, i, b, E_WB, i));
  for (int i = 0; i < 2; ++i) {
    const Vec3 centre = E_WB * point(b, i);
    if (std::abs(E_WA.R.col(2).dot(centre - E_WA.p)) >= 0.5 * a.height) continue;  // A's end
    const EndContact end = end_contact(b, E_WB, i, a, E_WA, kFirstEndOfB + i);
    consider({exchanged(end.contact), end.counts});
  }
  // An end exactly on the other's axis has no direction.
  if (!cross) ends[nearest].counts = true;
  for (int i = 0; i < count; ++i)
    if (ends[i].counts) add_if_near(ends[i].contact, margin, contacts);
}

ContactDerivatives derivatives(const Capsule& a, const Pose& E_WA, const Capsule& b,
                               const Pose& E_WB, const Contact& contact) {
  if (contact.feature == kCrossing) return line_derivatives(E_WA, E_WB, axes(E_WA, E_WB), contact);
  if (contact.feature < kFirstEndOfB)
    return point_contact_derivatives(E_WA, E_WA * point(a, contact.feature), b, E_WB, contact);
  const Vec3 c_W = E_WB * point(b, contact.feature - kFirstEndOfB);
  return exchanged(point_contact_derivatives(E_WB, c_W, a, E_WA, exchanged(contact)));
}

void add(const Cuboid& a, const Pose& E_WA, const Cuboid& b, const Pose& E_WB, double margin,
         std::vector<Contact>& contacts) {
  add_box_contacts(a, E_WA, b, E_WB, margin, contacts);
}

ContactDerivatives derivatives(const Cuboid& a, const Pose& E_WA, const Cuboid& b, const Pose& E_WB,
                               const Contact& contact) {
  return box_contact_derivatives(a, E_WA, b, E_WB, contact);
}

/// There is code for the pair in this order.
template <class A, class B>
concept Direct = requires(const A& a, const B& b, const Pose& E, std::vector<Contact>& contacts) {
  add(a, E, b, E, 0.0, contacts);
};

}  // namespace

bool can_touch(const ContactShape& A, const ContactShape& B) {
  return std::visit(
      []<class SA, class SB>(const SA&, const SB&) { return Direct<SA, SB> || Direct<SB, SA>; }, A,
      B);
}

void require_contact(const ContactShape& A, const ContactShape& B, const std::string& element) {
  if (can_touch(A, B)) return;
  throw Error(element, "there is no contact of " + type_name(A) + " with " + type_name(B),
              "exclude the pair, or give one of them another shape: a sphere touches every kind");
}

void add_contacts(const ContactShape& A, const Pose& E_WA, const ContactShape& B, const Pose& E_WB,
                  double margin, std::vector<Contact>& contacts) {
  std::visit(
      [&]<class SA, class SB>(const SA& a, const SB& b) {
        if constexpr (Direct<SA, SB>) {
          add(a, E_WA, b, E_WB, margin, contacts);
        } else if constexpr (Direct<SB, SA>) {
          const std::size_t first = contacts.size();
          add(b, E_WB, a, E_WA, margin, contacts);
          for (std::size_t i = first; i < contacts.size(); ++i)
            contacts[i] = exchanged(contacts[i]);
        }
      },
      A, B);
}

ContactDerivatives contact_derivatives(const ContactShape& A, const Pose& E_WA,
                                       const ContactShape& B, const Pose& E_WB,
                                       const Contact& contact) {
  return std::visit(
      [&]<class SA, class SB>(const SA& a, const SB& b) -> ContactDerivatives {
        if constexpr (Direct<SA, SB>) {
          return derivatives(a, E_WA, b, E_WB, contact);
        } else if constexpr (Direct<SB, SA>) {
          return exchanged(derivatives(b, E_WB, a, E_WA, exchanged(contact)));
        } else {
          throw Error("contact of " + type_name(A) + " with " + type_name(B), "it has no geometry",
                      "pass only contacts from add_contacts");
        }
      },
      A, B);
}

}  // namespace sinew
