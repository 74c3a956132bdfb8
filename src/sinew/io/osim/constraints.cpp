#include "sinew/io/osim/constraints.hpp"

#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/osim/functions.hpp"

namespace sinew {
namespace {

using ConstraintPointer = std::shared_ptr<const Constraint>;

template <class C>
ConstraintPointer shared(C constraint) {
  return std::make_shared<C>(std::move(constraint));
}

/// A point on a body that a socket and a location give.
struct BodyPoint {
  BodyIndex body;
  Vec3 x_B;
};
BodyPoint read_point(const OsimElement& in, const OsimScope& scope, const char* socket,
                     const char* location) {
  const OsimFrame frame = scope.frames().socket(in, socket, socket);
  return {scope.body(frame), frame.E_BF * in.vector3(location, Vec3::Zero())};
}

void require_two_bodies(const OsimElement& in, BodyIndex a, BodyIndex b) {
  if (a == b) in.fail("constrains a body against itself", "name two different bodies");
}

ConstraintPointer read_coupler(const OsimElement& in, const OsimScope& scope) {
  std::vector<DofIndex> arguments;
  for (const std::string& name : in.words("independent_coordinate_names"))
    arguments.push_back(scope.coordinate(in, name));
  if (arguments.empty() || arguments.size() > kMaxJointDofs)
    in.fail("names " + std::to_string(arguments.size()) + " independent coordinates",
            "name one to six in <independent_coordinate_names>");
  const DofIndex dependent = scope.coordinate(in, in.text("dependent_coordinate_name"));
  for (const DofIndex argument : arguments)
    if (argument == dependent) in.fail("couples a coordinate with itself", "name another one");
  const auto f = find_osim_function(in, "coupled_coordinates_function");
  if (!f) in.fail("has no function", "give one in <coupled_coordinates_function>");
  const ScalarFunction function = read_osim_function(*f, static_cast<int>(arguments.size()));
  if (std::holds_alternative<ConstantFunction>(function)) arguments.clear();
  return shared(CoordinateCoupling::Function(
      in.name(), dependent, scaled(function, in.number("scale_factor", 1)), arguments));
}

ConstraintPointer read_weld(const OsimElement& in, const OsimScope& scope) {
  OsimFrame a, b;
  if (scope.frames().has_socket(in, "frame1")) {
    a = scope.frames().socket(in, "frame1");
    b = scope.frames().socket(in, "frame2");
  } else {
    a = scope.frames().socket(in, "body_1", "body_1");
    b = scope.frames().socket(in, "body_2", "body_2");
    a.E_BF = a.E_BF * in.pose("location_body_1", "orientation_body_1");
    b.E_BF = b.E_BF * in.pose("location_body_2", "orientation_body_2");
  }
  require_two_bodies(in, scope.body(a), scope.body(b));
  return shared(Closure::Weld(in.name(), scope.body(a), a.E_BF, scope.body(b), b.E_BF));
}

ConstraintPointer read_point_on_line(const OsimElement& in, const OsimScope& scope) {
  const OsimFrame frame = scope.frames().socket(in, "line_body", "line_body");
  const BodyPoint follower = read_point(in, scope, "follower_body", "point_on_follower");
  const Vec3 direction = in.vector3("line_direction_vec", Vec3::Zero());
  if (!(direction.norm() > 1e-12))
    in.fail("its <line_direction_vec> is zero", "give the direction of the line");
  require_two_bodies(in, scope.body(frame), follower.body);
  return shared(PointOnLine(in.name(), scope.body(frame),
                            frame.E_BF * in.vector3("point_on_line", Vec3::Zero()),
                            (frame.E_BF.R * direction).normalized(), follower.body, follower.x_B));
}

}  // namespace

BodyIndex OsimScope::body(const OsimFrame& frame) const {
  return frame.body == "ground" ? kWorld : skeleton_->find_body(frame.body);
}

DofIndex OsimScope::coordinate(const OsimElement& owner, const std::string& path) const {
  const std::string name = last_of_path(path);
  std::vector<std::string> names;
  for (size_t k = 0; k < skeleton_->coordinates().size(); ++k) {
    names.push_back(skeleton_->coordinates()[k].name);
    if (names.back() == name) return DofIndex(static_cast<int>(k));
  }
  owner.fail(path.empty() ? "names no coordinate"
                          : "refers to the coordinate '" + path.substr(0, 200) +
                                "', which the model does not have",
             suggest(name, names));
}

DofIndex OsimScope::coordinate_socket(const OsimElement& owner, const char* key,
                                      const char* legacy) const {
  std::string path = owner.connectee(key);
  if (path.empty()) path = owner.text(legacy);
  return coordinate(owner, path);
}

bool is_disabled(const OsimElement& in) {
  if (in.has("isEnforced")) return !in.flag("isEnforced", true);
  if (in.has("appliesForce")) return !in.flag("appliesForce", true);
  return in.flag("isDisabled", false);
}

ConstraintPointer read_osim_constraint(const OsimElement& in, const OsimScope& scope) {
  const std::string type = in.type();
  if (type == "CoordinateCouplerConstraint") return read_coupler(in, scope);
  if (type == "WeldConstraint") return read_weld(in, scope);
  if (type == "PointOnLineConstraint") return read_point_on_line(in, scope);
  if (type != "PointConstraint" && type != "ConstantDistanceConstraint") return nullptr;
  const BodyPoint a = read_point(in, scope, "body_1", "location_body_1");
  const BodyPoint b = read_point(in, scope, "body_2", "location_body_2");
  require_two_bodies(in, a.body, b.body);
  if (type == "PointConstraint")
    return shared(Closure::Ball(in.name(), a.body, a.x_B, b.body, b.x_B));
  return shared(ConstantDistance(in.name(), a.body, a.x_B, b.body, b.x_B,
                                 in.positive("constant_distance", 0)));
}

ConstraintPointer close_osim_loop(const OsimJoint& joint, const OsimScope& scope) {
  const BodyIndex a = scope.body(joint.parent), b = scope.body(joint.child);
  const Pose &E_A = joint.parent.E_BF, &E_B = joint.child.E_BF;
  const std::string type = joint.element.type();
  const std::string name = joint.name + "_loop";
  if (type == "WeldJoint") return shared(Closure::Weld(name, a, E_A, b, E_B));
  if (type == "BallJoint" || type == "GimbalJoint")
    return shared(Closure::Ball(name, a, E_A.p, b, E_B.p));
  if (type == "PinJoint")
    return shared(Closure::Hinge(name, a, E_A.p, E_A.R.col(2), b, E_B.p, E_B.R.col(2)));
  joint.element.fail("closes a loop of bodies, which a " + type + " cannot do here",
                     "close it by a WeldJoint, PinJoint or BallJoint, or by a constraint");
}

}  // namespace sinew
