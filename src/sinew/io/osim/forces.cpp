#include "sinew/io/osim/forces.hpp"

#include <numbers>

#include "sinew/dynamics/forces.hpp"
#include "sinew/dynamics/soft_limit.hpp"

namespace sinew {
namespace {

using ForcePointer = std::shared_ptr<const Force>;

/// Of rotational coordinates it is written in degrees.
ForcePointer read_limit(const OsimElement& in, const OsimScope& scope) {
  const DofIndex dof = scope.coordinate(in, in.text("coordinate"));
  const bool angle =
      scope.skeleton().coordinates()[static_cast<size_t>(dof.value)].kind == CoordinateKind::angle;
  const double unit = angle ? std::numbers::pi / 180 : 1;
  SoftLimit::Law law;
  law.lower = unit * in.number("lower_limit", 0);
  law.upper = unit * in.number("upper_limit", 0);
  law.lower_stiffness = in.not_negative("lower_stiffness", 1) / unit;
  law.upper_stiffness = in.not_negative("upper_stiffness", 1) / unit;
  law.damping = in.not_negative("damping", 0.001) / unit;
  law.transition = unit * in.positive("transition", 1);
  return std::make_shared<SoftLimit>(in.name(), dof, law);
}

ForcePointer read_coordinate_spring(const OsimElement& in, const OsimScope& scope) {
  const DofIndex dof = scope.coordinate(in, in.text("coordinate"));
  return std::make_shared<JointSpring>(in.name(), dof, in.not_negative("stiffness", 0),
                                       in.not_negative("viscosity", 0),
                                       in.number("rest_length", 0));
}

ForcePointer read_point_spring(const OsimElement& in, const OsimScope& scope) {
  const OsimFrame a = scope.frames().socket(in, "body1", "body1");
  const OsimFrame b = scope.frames().socket(in, "body2", "body2");
  return std::make_shared<PointSpring>(
      in.name(), scope.body(a), a.E_BF * in.vector3("point1", Vec3::Zero()), scope.body(b),
      b.E_BF * in.vector3("point2", Vec3::Zero()), in.not_negative("stiffness", 0), 0,
      in.not_negative("rest_length", 0));
}

}  // namespace

ForcePointer read_osim_force(const OsimElement& in, const OsimScope& scope) {
  ForcePointer force;
  if (in.type() == "CoordinateLimitForce") force = read_limit(in, scope);
  if (in.type() == "SpringGeneralizedForce") force = read_coordinate_spring(in, scope);
  if (in.type() == "PointToPointSpring") force = read_point_spring(in, scope);
  if (!force) return nullptr;
  try {
    force->validate(scope.skeleton());
  } catch (const Error& error) {
    throw error.with_location(in.document().source(), in.line());
  }
  return force;
}

}  // namespace sinew
