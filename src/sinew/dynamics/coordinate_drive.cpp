#include "sinew/dynamics/coordinate_drive.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {

CoordinateDrive::CoordinateDrive(std::string name, DofIndex dof, double strength,
                                 TimeFunction control, Range range)
    : Force(std::move(name)),
      dof_(dof),
      strength_(strength),
      control_(std::move(control)),
      range_(range) {}

void CoordinateDrive::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const double control = std::clamp(in.controls[0], range_.lower, range_.upper);
  out.tau[dof_] += strength_ * control;
  out.power += strength_ * control * in.qdot[dof_];
}

void CoordinateDrive::add_control_derivatives(const SkeletonAt& in, MatRef columns) const {
  if (in.controls[0] >= range_.lower && in.controls[0] <= range_.upper)
    columns(dof_.value, 0) += strength_;
}

void CoordinateDrive::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, name());
  require_finite(std::isfinite(strength_), name(), "strength");
  if (!(range_.lower <= range_.upper))
    throw Error("force '" + name() + "'", "has its least control above the largest",
                "give the smaller one first");
  if (const std::string defect = control_.defect(); !defect.empty())
    throw Error("force '" + name() + "'", "its control " + defect, "give numbers over time");
}

}  // namespace sinew
