#pragma once

#include "sinew/model/joints/function_joint.hpp"
#include "sinew/model/joints/spline_joints.hpp"

namespace sinew {

/// The curve as six natural cubic splines through points of it, evenly spaced: rotations about x, y
/// and z carried along, translations along x, y and z of the fixed frame, as OpenSim's CustomJoint
/// has them. Throws an Error where the second rotation comes near a right angle, at which the first
/// and third are one.
FunctionJoint function_joint_of(const SplineCurve& curve, CoordinateKind kind, int points);

}  // namespace sinew
