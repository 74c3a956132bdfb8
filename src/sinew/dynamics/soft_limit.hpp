#pragma once

#include "sinew/dynamics/force.hpp"

namespace sinew {

/// Soft ends of a coordinate's range, as in OpenSim's CoordinateLimitForce. Beyond the
/// upper limit by x, with S the quintic step from 0 at x = 0 to 1 at x = transition,
///     τ = −k S(x) x − d S(x) q̇,
/// and its mirror image beyond the lower one. Force and damping have two continuous derivatives.
/// Either limit may be infinite.
class SoftLimit final : public Force {
 public:
  /// Units of the coordinate: rad or m, N m/rad or N/m, N m s/rad or N s/m.
  struct Law {
    double lower = 0, upper = 0;
    double lower_stiffness = 0, upper_stiffness = 0;
    double damping = 0;
    double transition = 0;
  };
  SoftLimit(std::string name, DofIndex dof, const Law& law);
  const Law& law() const { return law_; }

  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  DofIndex dof_;
  Law law_;
};

}  // namespace sinew
