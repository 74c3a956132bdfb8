#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>

#include "sinew/math/se3.hpp"

/// The interface of joints to the rest of the library (design section 4).

namespace sinew {

/// A joint at one (q, q̇). J is the joint's moving frame, P its fixed one: E_PJ = Q(q), and the
/// twist of J against P, expressed in J, is S(q) q̇.
struct JointMotion {
  Pose Q;       ///< Q(q)
  Mat6Xb S;     ///< 6×n: column k is (Q⁻¹ ∂Q/∂q_k)ˇ
  Mat6Xb Sdot;  ///< 6×n: dS/dt along q̇
};

/// The further quantities that the derivatives of dynamics need.
struct JointMotionDerivatives {
  std::array<Mat6Xb, kMaxJointDofs> dS;  ///< dS[k] = ∂S/∂q_k, 6×n each, k < n
  Mat6Xb dSdot_qdot;                     ///< column k is ∂(Ṡ q̇)/∂q_k at constant q̇
};

/// The quantity that a coordinate measures; it decides the unit in files and reports.
enum class CoordinateKind {
  angle,      ///< rad
  length,     ///< m
  parameter,  ///< dimensionless, e.g. the parameter of a spline
  time        ///< s: the time of the state, on which the pose of the joint depends
};

using Coordinates = std::span<const double>;

/// The concept every joint type meets. `evaluate` fills JointMotion, `differentiate` fills
/// JointMotionDerivatives; both size the matrices to 6×dof() themselves and allocate nothing.
/// `validate` throws an Error naming the element if the parameters do not make a joint; until then
/// a joint made of bad parameters is harmless but must not be evaluated. Joints whose coordinates
/// are a chart that runs out (exponential coordinates) also have needs_rechart and rechart, as
/// Joint documents them.
template <class J>
concept JointType = requires(const J joint, Coordinates q, Coordinates qdot, JointMotion& motion,
                             JointMotionDerivatives& derivatives, const std::string& element) {
  { J::kTypeName } -> std::convertible_to<std::string>;
  { joint.dof() } -> std::convertible_to<int>;
  { joint.kind(int{}) } -> std::convertible_to<CoordinateKind>;
  {joint.evaluate(q, qdot, motion)};
  {joint.differentiate(q, qdot, derivatives)};
  {joint.validate(element)};
};

}  // namespace sinew
