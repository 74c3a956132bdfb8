#pragma once

#include "sinew/dynamics/constraint.hpp"

/// Constraints on a point of one body against another. Points and directions are given in body
/// frames; kWorld is the ground.

namespace sinew {

/// |x_A − x_B| = length: a massless rod with ball joints at both ends [m]. The row is
/// (|x_A − x_B|² − length²) / 2 length, which near the solution is the error of the distance, and
/// is smooth everywhere.
class ConstantDistance final : public Constraint {
 public:
  ConstantDistance(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B,
                   double length);
  int rows() const override { return 1; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// tension: positive pulls the points together [N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  BodyIndex a_, b_;
  Vec3 x_a_, x_b_;
  double length_;
};

/// x_B of body b stays on the line through x_A along `direction`, both fixed on body a: 2 rows.
class PointOnLine final : public Constraint {
 public:
  PointOnLine(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& direction_A, BodyIndex b,
              const Vec3& x_B);
  int rows() const override { return 2; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// Force on body b at its point, world axes [N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  BodyIndex a_, b_;
  Vec3 x_a_, x_b_;
  Vec3 v1_, v2_;  // orthogonal to the line, body axes of a
};

/// x_B of body b stays on the plane through x_A with normal `normal`, both fixed on body a: 1 row.
class PointOnPlane final : public Constraint {
 public:
  PointOnPlane(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& normal_A, BodyIndex b,
               const Vec3& x_B);
  int rows() const override { return 1; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// force on body b along the normal [N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  BodyIndex a_, b_;
  Vec3 x_a_, x_b_, normal_;
};

}  // namespace sinew
