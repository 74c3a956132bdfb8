#include "sinew/constraints/rows/point_constraints.hpp"

#include <cmath>

#include "sinew/constraints/rows/row_primitives.hpp"

namespace sinew {

ConstantDistance::ConstantDistance(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b,
                                   const Vec3& x_B, double length)
    : Constraint(std::move(name)), a_(a), b_(b), x_a_(x_A), x_b_(x_B), length_(length) {}

void ConstantDistance::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  // ġ = u · (ẋ_A − ẋ_B) with u = (x_A − x_B) / length.
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  const Vec3 u = (a.position - b.position) / length_, udot = (a.velocity - b.velocity) / length_;
  out.value[row] = 0.5 * length_ * (u.squaredNorm() - 1);
  out.rate[row] = out.bias[row] = 0;
  const auto add = [&](const AttachedPoint& x, double sign) {
    const LinkMotion& m = in.ws.link[static_cast<size_t>(x.link)];
    Vec6 c, cdot;
    c << x.offset.cross(u), u;
    cdot << m.w.cross(x.offset).cross(u) + x.offset.cross(udot), udot;
    out.add(row, x.link, m, sign * c, sign * cdot);
  };
  add(a, 1);
  add(b, -1);
}

void ConstantDistance::add_reaction_derivatives(const SkeletonAt& in,
                                                std::span<const double> lambda,
                                                ForceDerivatives& out) const {
  // The reaction is that of a spring of zero rest length, f = −k (x_A − x_B) on A, k = λ / length.
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  const double k = lambda[0] / length_;
  const Mat3 f = skew(-k * (a.position - b.position));
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Mat6 none = Mat6::Zero();
  out.add(a.link, a.link, G_a.transpose() * (on_rotation(f) - k * G_a), none);
  out.add(b.link, b.link, -(G_b.transpose() * (on_rotation(f) + k * G_b)), none);
  out.add(a.link, b.link, k * G_a.transpose() * G_b, none);
  out.add(b.link, a.link, k * G_b.transpose() * G_a, none);
}

std::vector<Measurement> ConstantDistance::measure(const SkeletonAt& in,
                                                   std::span<const double> lambda) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  return {{"tension", lambda[0] / length_ * (a.position - b.position).norm()}};
}

void ConstantDistance::validate(const Skeleton& skeleton) const {
  require_two_bodies(skeleton, a_, b_, *this);
  require_constraint(x_a_.allFinite() && x_b_.allFinite(), *this, "has a point that is not finite",
                     "give finite numbers");
  require_constraint(std::isfinite(length_) && length_ > 0, *this,
                     "has a length that is not positive",
                     "give a positive length, or close the loop with a ball");
}

PointOnLine::PointOnLine(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& direction_A,
                         BodyIndex b, const Vec3& x_B)
    : Constraint(std::move(name)), a_(a), b_(b), x_a_(x_A), x_b_(x_B) {
  orthonormal_complement(direction_A.normalized(), v1_, v2_);
}

void PointOnLine::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  add_direction_row(in, a, b, a.link, direction(in, a_, v1_), row, out);
  add_direction_row(in, a, b, a.link, direction(in, a_, v2_), row + 1, out);
}

void PointOnLine::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                           ForceDerivatives& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  add_direction_derivatives(a, b, a.link, -direction(in, a_, lambda[0] * v1_ + lambda[1] * v2_),
                            out);
}

std::vector<Measurement> PointOnLine::measure(const SkeletonAt& in,
                                              std::span<const double> lambda) const {
  std::vector<Measurement> out;
  add_measurements("force", direction(in, a_, lambda[0] * v1_ + lambda[1] * v2_), out);
  return out;
}

void PointOnLine::validate(const Skeleton& skeleton) const {
  require_two_bodies(skeleton, a_, b_, *this);
  require_constraint(x_a_.allFinite() && x_b_.allFinite() && v1_.allFinite() && v1_.norm() > 0.5,
                     *this, "has a point or direction that is zero or not finite",
                     "give finite numbers");
}

PointOnPlane::PointOnPlane(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& normal_A,
                           BodyIndex b, const Vec3& x_B)
    : Constraint(std::move(name)),
      a_(a),
      b_(b),
      x_a_(x_A),
      x_b_(x_B),
      normal_(normal_A.normalized()) {}

void PointOnPlane::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  add_direction_row(in, a, b, a.link, direction(in, a_, normal_), row, out);
}

void PointOnPlane::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                            ForceDerivatives& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  add_direction_derivatives(a, b, a.link, -lambda[0] * direction(in, a_, normal_), out);
}

std::vector<Measurement> PointOnPlane::measure(const SkeletonAt&,
                                               std::span<const double> lambda) const {
  return {{"force", lambda[0]}};
}

void PointOnPlane::validate(const Skeleton& skeleton) const {
  require_two_bodies(skeleton, a_, b_, *this);
  require_constraint(
      x_a_.allFinite() && x_b_.allFinite() && normal_.allFinite() && normal_.norm() > 0.5, *this,
      "has a point or normal that is zero or not finite", "give finite numbers");
}

}  // namespace sinew
