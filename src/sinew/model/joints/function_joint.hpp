#pragma once

#include <vector>

#include "sinew/math/scalar_function.hpp"
#include "sinew/model/joint_motion.hpp"

namespace sinew {

/// One of the six axes of a function joint: a direction in the parent frame, and the amount moved
/// along or about it as a function of some of the joint's coordinates.
struct TransformAxis {
  Vec3 axis;
  ScalarFunction function = ConstantFunction{0};  ///< [rad] of a rotation, [m] of a translation
  std::vector<int> coordinates = {};              ///< its arguments, by index within the joint
};

/// Six functions of up to six coordinates, with the meaning of OpenSim's CustomJoint:
///     Q = Trans(Σ_i f_i a_i) R(a₄, f₄) R(a₅, f₅) R(a₆, f₆)
/// translations along axes of the parent frame, never rotated; then three rotations, each about an
/// axis carried along by those before it. Axes need not be orthogonal. A reversed joint is Q⁻¹ of
/// this: the axes then belong to the moving frame.
class FunctionJoint {
 public:
  static constexpr const char* kTypeName = "function";

  /// `kinds` gives the number of coordinates and the quantity that each measures.
  FunctionJoint(std::vector<CoordinateKind> kinds, std::array<TransformAxis, 3> rotation,
                std::array<TransformAxis, 3> translation, bool reversed = false);
  const std::array<TransformAxis, 3>& rotation() const { return rotation_; }
  const std::array<TransformAxis, 3>& translation() const { return translation_; }
  bool reversed() const { return reversed_; }

  int dof() const { return static_cast<int>(kinds_.size()); }
  CoordinateKind kind(int k) const { return kinds_[static_cast<size_t>(k)]; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  std::vector<CoordinateKind> kinds_;
  std::array<TransformAxis, 3> rotation_, translation_;
  bool reversed_;
};

static_assert(JointType<FunctionJoint>);

}  // namespace sinew
