#include "sinew/model/joints/function_joint.hpp"

#include <algorithm>
#include <utility>

#include "sinew/model/joints/product_of_exponentials.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

std::array<ExponentialFactor, 6> function_factors(const std::array<TransformAxis, 3>& rotation,
                                                  const std::array<TransformAxis, 3>& translation,
                                                  bool reversed, Coordinates q, Coordinates qdot) {
  std::array<ExponentialFactor, 6> factors;
  for (size_t i = 0; i < 3; ++i) {
    const TransformAxis &t = translation[i], &r = rotation[i];
    factors[i] = {translation_twist(t.axis), evaluate(t.function, t.coordinates, q, qdot)};
    factors[3 + i] = {rotation_twist(r.axis), evaluate(r.function, r.coordinates, q, qdot)};
  }
  if (reversed) {  // (exp(g₁φ₁) exp(g₂φ₂) …)⁻¹ = … exp(−g₂φ₂) exp(−g₁φ₁)
    std::reverse(factors.begin(), factors.end());
    for (ExponentialFactor& factor : factors) factor.twist = -factor.twist;
  }
  return factors;
}

void validate_axis(const TransformAxis& axis, int dof, const std::string& element,
                   const std::string& what) {
  require_axis(axis.axis, element, what);
  const std::string defect = function_defect(axis.function);
  require(defect.empty(), element, what + ": " + defect, "correct the function");
  const bool constant = std::holds_alternative<ConstantFunction>(axis.function);
  const size_t expected = static_cast<size_t>(argument_count(axis.function));
  require(constant || axis.coordinates.size() == expected, element,
          what + ": its function takes " + std::to_string(expected) + " coordinates, not " +
              std::to_string(axis.coordinates.size()),
          "name one coordinate for each argument");
  for (const int k : axis.coordinates)
    require(k >= 0 && k < dof, element,
            what + ": there is no coordinate " + std::to_string(k) + " in this joint",
            "use 0 to " + std::to_string(dof - 1));
}

bool moves(const TransformAxis& axis) {
  return !std::holds_alternative<ConstantFunction>(axis.function);
}

}  // namespace

FunctionJoint::FunctionJoint(std::vector<CoordinateKind> kinds,
                             std::array<TransformAxis, 3> rotation,
                             std::array<TransformAxis, 3> translation, bool reversed)
    : kinds_(std::move(kinds)),
      rotation_(std::move(rotation)),
      translation_(std::move(translation)),
      reversed_(reversed) {
  for (TransformAxis& axis : rotation_) axis.axis = normalized_axis(axis.axis);
  for (TransformAxis& axis : translation_) axis.axis = normalized_axis(axis.axis);
}

void FunctionJoint::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  evaluate_product(Pose(), function_factors(rotation_, translation_, reversed_, q, qdot), qdot,
                   out);
}

void FunctionJoint::differentiate(Coordinates q, Coordinates qdot,
                                  JointMotionDerivatives& out) const {
  differentiate_product(function_factors(rotation_, translation_, reversed_, q, qdot), qdot, out);
}

void FunctionJoint::validate(const std::string& element) const {
  require(dof() >= 1 && dof() <= kMaxJointDofs, element,
          "function joint has " + std::to_string(dof()) + " coordinates",
          "give one to six; a joint without any is a fixed joint");
  for (size_t i = 0; i < 3; ++i) {
    validate_axis(rotation_[i], dof(), element, "rotation axis " + std::to_string(i + 1));
    validate_axis(translation_[i], dof(), element, "translation axis " + std::to_string(i + 1));
  }
  const auto parallel = [](const TransformAxis& a, const TransformAxis& b) {
    // Unit vectors: the sine of the angle between them.
    return a.axis.cross(b.axis).norm() < 1e-9;
  };
  const bool all_move = std::all_of(rotation_.begin(), rotation_.end(), moves);
  require(
      !all_move || !parallel(rotation_[0], rotation_[1]) || !parallel(rotation_[1], rotation_[2]),
      element, "the three rotation axes are parallel", "turn at least one of them");
}

}  // namespace sinew
