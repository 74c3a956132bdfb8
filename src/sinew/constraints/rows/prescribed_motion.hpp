#pragma once

#include "sinew/dynamics/constraint.hpp"
#include "sinew/math/time_function.hpp"

/// Hybrid dynamics (Wang 2022 section 4.6.5): motions are given; the forces that cause them are
/// computed, and the elements measure these forces. With reactions −Gᵀλ, as everywhere in Sinew,
/// the torque is −λ (corrected sign of Wang 2022 Eq. 4.109).

namespace sinew {

/// q = f(t), q̇ = f(t) or q̈ = f(t) of one coordinate, by `level`.
class PrescribedCoordinate final : public Constraint {
 public:
  PrescribedCoordinate(std::string name, DofIndex dof, ConstraintLevel level, TimeFunction f);
  DofIndex dof() const { return dof_; }
  const TimeFunction& function() const { return f_; }
  ConstraintLevel level() const override { return level_; }
  int rows() const override { return 1; }
  bool needs_kinematics() const override { return false; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt&, std::span<const double>,
                                ForceDerivatives&) const override {}
  /// torque: the generalised force on the coordinate [N m, N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  std::vector<double> breakpoints() const override { return f_.breakpoints(); }
  void validate(const Skeleton& skeleton) const override;

 private:
  DofIndex dof_;
  ConstraintLevel level_;
  TimeFunction f_;
};

/// Rows of a body's twist, or of its rate, as functions of time: one for each direction.
class PrescribedTwist final : public Constraint {
 public:
  enum class Part { angular, linear };
  enum class Frame { body, world };
  struct Row {
    Part part;
    Vec3 direction;  ///< constant in the frame
    Frame frame;
    TimeFunction f;  ///< direction · ω or direction · v [rad/s, m/s], or its rate
  };

  /// v is the velocity of the point x_B of the body. `level` is velocity or acceleration; the
  /// acceleration of a body-frame row is the rate of the component, as in φ̇.
  PrescribedTwist(std::string name, BodyIndex body, const Vec3& x_B, ConstraintLevel level,
                  std::vector<Row> rows);
  /// Row k of φ_B (0–2 angular, 3–5 linear at the body's origin) as in Wang 2022.
  static Row BodyRow(int k, TimeFunction f);
  /// The same in world axes.
  static Row WorldRow(int k, TimeFunction f);

  ConstraintLevel level() const override { return level_; }
  int rows() const override { return static_cast<int>(rows_.size()); }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// Force and moment on the body at x_B, world axes [N, N m].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  std::vector<double> breakpoints() const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  Vec3 world_direction(const SkeletonAt& in, const Row& row) const;

  BodyIndex body_;
  Vec3 x_;
  ConstraintLevel level_;
  std::vector<Row> rows_;
};

}  // namespace sinew
