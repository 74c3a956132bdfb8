#include "sinew/io/osim/forces.hpp"

#include <numbers>

#include "sinew/dynamics/bushing.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/dynamics/soft_limit.hpp"
#include "sinew/io/osim/functions.hpp"
#include "sinew/muscles/opensim/opensim_path_force.hpp"

namespace sinew {
namespace {

using ForcePointer = std::shared_ptr<const Force>;

/// For rotational coordinates it is written in degrees.
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

/// 4.x: two frames; 3.x: two bodies with places in them.
ForcePointer read_bushing(const OsimElement& in, const OsimScope& scope) {
  const OsimFrame a = scope.frames().socket(in, "frame1", "body_1");
  const OsimFrame b = scope.frames().socket(in, "frame2", "body_2");
  const Vec3 none = Vec3::Zero();
  const Bushing::Law law{.rotational_stiffness = in.vector3("rotational_stiffness", none),
                         .translational_stiffness = in.vector3("translational_stiffness", none),
                         .rotational_damping = in.vector3("rotational_damping", none),
                         .translational_damping = in.vector3("translational_damping", none)};
  return std::make_shared<Bushing>(
      in.name(), scope.body(a), a.E_BF * in.pose("location_body_1", "orientation_body_1"),
      scope.body(b), b.E_BF * in.pose("location_body_2", "orientation_body_2"), law);
}

OpenSimPathForce::Law read_path_law(const OsimElement& in) {
  if (in.type() == "PathSpring")
    return PathSpringLaw{.stiffness = in.not_negative("stiffness", 0),
                         .dissipation = in.not_negative("dissipation", 0),
                         .rest_length = in.not_negative("resting_length", 0)};
  const std::optional<OsimElement> curve = find_osim_function(in, "force_length_curve");
  if (!curve)
    in.fail("has no <force_length_curve>", "give it a function of length over rest length");
  return LigamentLaw{.strength = in.not_negative("pcsa_force", 0),
                     .rest_length = in.positive("resting_length", 1),
                     .curve = read_osim_function(*curve, 1)};
}

}  // namespace

ForcePointer read_osim_force(const OsimElement& in, const OsimPathScope& path_scope,
                             std::string& unread) {
  const OsimScope& scope = path_scope.scope;
  ForcePointer force;
  unread = in.type();
  if (in.type() == "CoordinateLimitForce") force = read_limit(in, scope);
  if (in.type() == "SpringGeneralizedForce") force = read_coordinate_spring(in, scope);
  if (in.type() == "PointToPointSpring") force = read_point_spring(in, scope);
  if (in.type() == "BushingForce") force = read_bushing(in, scope);
  if (in.type() == "PathSpring" || in.type() == "Ligament")
    if (std::optional<OpenSimPath> path = read_osim_path(in, path_scope, unread))
      force = std::make_shared<OpenSimPathForce>(
          std::make_shared<OpenSimPathOnSkeleton>(scope.skeleton(), std::move(*path)),
          read_path_law(in));
  if (!force) return nullptr;
  try {
    force->validate(scope.skeleton());
  } catch (const Error& error) {
    throw error.with_location(in.document().source(), in.line());
  }
  return force;
}

}  // namespace sinew
