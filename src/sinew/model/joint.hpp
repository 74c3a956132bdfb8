#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sinew/model/joint_motion.hpp"
#include "sinew/model/joints/elementary.hpp"
#include "sinew/model/joints/function_joint.hpp"
#include "sinew/model/joints/spherical.hpp"
#include "sinew/model/joints/spline_joints.hpp"

namespace sinew {

class Joint;

/// Joints in series, Q = Q₁ Q₂ … with no body between: nested to any depth, at most six coordinates
/// in all (Wang et al. 2019 section 5.1).
struct Composite {
  static constexpr const char* kTypeName = "composite";
  std::vector<Joint> parts;

  int dof() const;
  CoordinateKind kind(int k) const;
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

  bool needs_rechart(Coordinates q) const;
  void rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const;
  void differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot, MatRef dq,
                             MatRef dqdot) const;
};

static_assert(JointType<Composite>);

namespace detail {
template <class T, class Variant>
struct IsAlternative;
template <class T, class... Types>
struct IsAlternative<T, std::variant<Types...>> : std::disjunction<std::is_same<T, Types>...> {};
}  // namespace detail

/// Any joint. Every algorithm sees joints through these few calls.
class Joint {
 public:
  using Variant = std::variant<Fixed, Revolute, Prismatic, Planar, Translational, Universal,
                               SphericalExp, SphericalEuler, Helical, Elliptic, Free2D, Free3D,
                               Composite, SplineCurve, SplineSurface, FunctionJoint>;

  template <class J>
  requires(detail::IsAlternative<J, Variant>::value) Joint(J joint)
      : variant_(std::move(joint)) {}  // NOLINT(google-explicit-constructor)

  const Variant& variant() const { return variant_; }

  int dof() const;
  CoordinateKind kind(int k) const;
  /// The name of the type in scene files ("revolute", "spline-curve").
  std::string type_name() const;

  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;

  /// True if `q` is so far from the origin of its rotation chart that it should be changed
  /// (exponential coordinates with |q| > 1.5 π; Wang et al. 2019 section 4.7).
  bool needs_rechart(Coordinates q) const;
  /// Moves (q, q̇) to the chart that suits `reference`: same pose, same twist. `reference` is the
  /// present state; a history of states is moved with the same reference, so that it stays one
  /// curve.
  void rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const;
  /// Its derivatives at (q, q̇) before: ∂q₁/∂q = ∂q̇₁/∂q̇ and ∂q̇₁/∂q.
  void differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot, MatRef dq,
                             MatRef dqdot) const;

  /// Throws an Error naming `element` if the parameters do not make a joint (zero axis, too few
  /// spline frames, more than six coordinates, coordinates that all do the same, …).
  void validate(const std::string& element) const;

 private:
  Variant variant_;
};

}  // namespace sinew
