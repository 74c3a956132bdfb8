#pragma once

#include <array>
#include <utility>

#include "sinew/dynamics/force.hpp"
#include "sinew/math/time_table.hpp"

/// The force elements that come with the library. Points are given in body frames; kWorld is the
/// ground.

namespace sinew {

/// A generalised force on one coordinate, constant or from a table in time [N m or N].
class JointTorque final : public Force {
 public:
  JointTorque(std::string name, DofIndex dof, TimeTable torque);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  std::vector<double> breakpoints() const override { return torque_.breakpoints(); }
  void validate(const Skeleton& skeleton) const override;

 private:
  DofIndex dof_;
  TimeTable torque_;
};

/// τ = −k (q − rest) − d q̇ on one coordinate.
class JointSpring final : public Force {
 public:
  JointSpring(std::string name, DofIndex dof, double stiffness, double damping, double rest);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  DofIndex dof_;
  double stiffness_, damping_, rest_;
};

/// An elastic end of a coordinate's range: beyond a limit by e, τ = −k e − d q̇; between the limits
/// nothing. Either limit may be infinite. The force of the damper jumps at the limits.
class CoordinateStop final : public Force {
 public:
  CoordinateStop(std::string name, DofIndex dof, double lower, double upper, double stiffness,
                 double damping);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  /// Exactly at a limit they have the values within the range: zero.
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  Obstacle obstacle() const override;
  /// Beyond the lower limit, within the range, beyond the upper one.
  int piece(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  /// Distance of q past a limit; negative past the lower one, zero in the range.
  double beyond(double q) const;

  DofIndex dof_;
  double lower_, upper_, stiffness_, damping_;
};

/// Viscous drag on a body: wrench −(angular · ω; linear · v) in the body frame, at its origin.
class BodyDamping final : public Force {
 public:
  /// angular in N m s, linear in N s/m.
  BodyDamping(std::string name, BodyIndex body, double angular, double linear);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  BodyIndex body_;
  double angular_, linear_;
};

/// A force with world components at a point of a body, constant or from a table of three columns
/// [N].
class WorldForce final : public Force {
 public:
  WorldForce(std::string name, BodyIndex body, const Vec3& point_B, TimeTable force_W);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  std::vector<double> breakpoints() const override { return force_.breakpoints(); }
  void validate(const Skeleton& skeleton) const override;
  ForceArrow arrow() const override { return {.drawn = true}; }

 private:
  BodyIndex body_;
  Vec3 point_;
  TimeTable force_;
};

/// A spring and damper between points of two bodies. With l the distance of the points, the tension
/// is
///     T = k (l − rest) + d l̇,
/// along the line between them. rest = 0 is the zero-length spring, f = k (x_b − x_a) + its damper
/// along the line; without damping it is smooth through l = 0.
class PointSpring final : public Force {
 public:
  PointSpring(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B,
              double stiffness, double damping, double rest_length);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;
  std::vector<MovingShape> shapes() const override { return {{name(), "spring", 2}}; }
  void draw(const SkeletonAt& in, std::vector<double>& points) const override;

 private:
  BodyIndex a_, b_;
  Vec3 x_a_, x_b_;
  double stiffness_, damping_, rest_;
};

}  // namespace sinew
