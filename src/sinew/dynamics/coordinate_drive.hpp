#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/math/time_function.hpp"

namespace sinew {

/// τ = strength × control on one coordinate, the control held within its limits: OpenSim's
/// CoordinateActuator.
class CoordinateDrive final : public Force {
 public:
  struct Range {
    double lower, upper;
  };
  /// `strength` in N m or N for a control of one.
  CoordinateDrive(std::string name, DofIndex dof, double strength, TimeFunction control,
                  Range range);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  std::vector<Control> controls() const override {
    return {{name(), ControlKind::actuator, control_}};
  }
  /// Zero where the control is held at a limit.
  void add_control_derivatives(const SkeletonAt& in, MatRef columns) const override;
  /// Whether the control is held at a limit, and at which.
  int piece(const SkeletonAt& in) const override {
    return in.controls[0] < range_.lower ? 1 : in.controls[0] > range_.upper ? 2 : 0;
  }
  void validate(const Skeleton& skeleton) const override;

 private:
  DofIndex dof_;
  double strength_;
  TimeFunction control_;
  Range range_;
};

}  // namespace sinew
