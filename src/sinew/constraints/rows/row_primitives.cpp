#include "sinew/constraints/rows/row_primitives.hpp"

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// A 6×6 block whose first three rows are m.
Mat6 on_moment(const Mat36& m) {
  Mat6 out;
  out << m, Mat36::Zero();
  return out;
}

}  // namespace

void orthonormal_complement(const Vec3& n, Vec3& v1, Vec3& v2) {
  Eigen::Index smallest;
  n.cwiseAbs().minCoeff(&smallest);
  v2 = n.cross(Vec3::Unit(smallest)).normalized();
  v1 = v2.cross(n);
}

void add_direction_derivatives(const AttachedPoint& a, const AttachedPoint& b, int carrier,
                               const Vec3& F, ForceDerivatives& out) {
  // Seen from link A the force F turns by (δθ_C − δθ_A) × F; seen from C the moment F × d changes
  // by F × (δx_A − δx_B − δθ_C × d).
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Mat3 F_x = skew(F), d_x = skew(a.position - b.position);
  const Mat6 K_a = G_a.transpose() * on_rotation(F_x), K_b = G_b.transpose() * on_rotation(F_x);
  const Mat6 none = Mat6::Zero();
  out.add(a.link, a.link, K_a, none);
  out.add(b.link, b.link, -K_b, none);
  if (carrier == 0) return;
  out.add(a.link, carrier, -K_a, none);
  out.add(b.link, carrier, K_b, none);
  out.add(carrier, a.link, on_moment(F_x * G_a), none);
  out.add(carrier, b.link, on_moment(-F_x * G_b), none);
  out.add(carrier, carrier, on_moment(on_rotation(F_x * d_x)), none);
}

void add_perpendicular_row(const SkeletonAt& in, int link_a, const Vec3& a, int link_b,
                           const Vec3& b, int row, ConstraintRows& out) {
  const LinkMotion &A = motion(in, link_a), &B = motion(in, link_b);
  const Vec3 n = a.cross(b), ndot = A.w.cross(a).cross(b) + a.cross(B.w.cross(b));
  out.value[row] = a.dot(b);
  out.rate[row] = out.bias[row] = 0;
  out.add(row, link_a, A, stacked(n, Vec3::Zero()), stacked(ndot, Vec3::Zero()));
  out.add(row, link_b, B, stacked(-n, Vec3::Zero()), stacked(-ndot, Vec3::Zero()));
}

void add_perpendicular_derivatives(int link_a, const Vec3& a, int link_b, const Vec3& b,
                                   double lambda, ForceDerivatives& out) {
  // Seen from A the moment −λ a × b changes by −λ a × ((δθ_B − δθ_A) × b), and from B alike.
  const Mat6 K_a = on_moment(on_rotation(lambda * skew(a) * skew(b)));
  const Mat6 K_b = on_moment(on_rotation(lambda * skew(b) * skew(a)));
  const Mat6 none = Mat6::Zero();
  out.add(link_a, link_a, -K_a, none);
  out.add(link_a, link_b, K_a, none);
  out.add(link_b, link_a, K_b, none);
  out.add(link_b, link_b, -K_b, none);
}

void require_constraint(bool condition, const Constraint& constraint, const std::string& problem,
                        const std::string& remedy) {
  if (!condition) throw Error("constraint '" + constraint.name() + "'", problem, remedy);
}

void require_body(const Skeleton& skeleton, BodyIndex body, const Constraint& constraint) {
  require_constraint(body == kWorld || (body >= 0 && body < skeleton.body_count()), constraint,
                     "is on a body that does not exist", "use an index of this skeleton");
}

void require_dof(const Skeleton& skeleton, DofIndex dof, const Constraint& constraint) {
  require_constraint(dof >= 0 && dof < skeleton.dof_count(), constraint,
                     "is on a coordinate that does not exist", "use an index of this skeleton");
}

void require_two_bodies(const Skeleton& skeleton, BodyIndex a, BodyIndex b,
                        const Constraint& constraint) {
  require_body(skeleton, a, constraint);
  require_body(skeleton, b, constraint);
  require_constraint(a != b, constraint, "connects a body to itself", "name two different bodies");
  require_constraint(link_of(skeleton, a) != link_of(skeleton, b), constraint,
                     "connects two bodies that fixed joints hold together already",
                     "remove it, or name bodies that move against each other");
}

void add_measurements(const std::string& what, const Vec3& value, std::vector<Measurement>& out) {
  constexpr const char* kAxis[] = {"_x", "_y", "_z"};
  for (int k = 0; k < 3; ++k) out.push_back({what + kAxis[k], value[k]});
}

}  // namespace sinew
