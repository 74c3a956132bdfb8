#pragma once

#include "sinew/analysis/fit/joint_fit.hpp"

namespace sinew {

/// A hinge or a universal joint between its fitted frames, as OpenSim's CustomJoint has it: each
/// angle a linear function of one coordinate.
struct AxisFunctions {
  FunctionJoint joint;
  double deviation =
      0;  ///< the largest by which a line misses an angle of a pose that counts [rad]
};

/// q has a row for each coordinate and a column for each pose: the angles are lines through those
/// of the poses. Empty: the angles are the coordinates. Throws an Error where q has another number
/// of coordinates than the joint.
AxisFunctions axis_functions(const JointFit& fit, const MatX& q);

}  // namespace sinew
