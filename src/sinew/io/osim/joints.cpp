#include "sinew/io/osim/joints.hpp"

#include <algorithm>
#include <numbers>
#include <set>

#include "sinew/core/names.hpp"
#include "sinew/io/osim/functions.hpp"

namespace sinew {
namespace {

constexpr int kRotations = 3;

/// The axes, of six, that the coordinates of a simple joint move, in their order: 0 to 2 rotations
/// about x, y and z, 3 to 5 translations along them.
struct SimpleJoint {
  const char* type;
  std::vector<int> axes;
};
const std::vector<SimpleJoint>& simple_joints() {
  static const std::vector<SimpleJoint> kJoints = {{"WeldJoint", {}},
                                                   {"PinJoint", {2}},
                                                   {"SliderJoint", {3}},
                                                   {"UniversalJoint", {0, 1}},
                                                   {"PlanarJoint", {2, 3, 4}},
                                                   {"BallJoint", {0, 1, 2}},
                                                   {"GimbalJoint", {0, 1, 2}},
                                                   {"FreeJoint", {0, 1, 2, 3, 4, 5}},
                                                   {"EllipsoidJoint", {0, 1, 2}}};
  return kJoints;
}

TransformAxis& axis_of(OsimJoint& joint, int k) {
  return k < kRotations ? joint.rotation[static_cast<size_t>(k)]
                        : joint.translation[static_cast<size_t>(k - kRotations)];
}

OsimCoordinateReading read_coordinate(const OsimElement& in, const std::string& joint) {
  if (in.type() != "Coordinate") in.fail("is not a coordinate", "only <Coordinate> can be here");
  OsimCoordinate c;
  c.name = in.name();
  if (c.name.empty()) in.fail("has no name", "give every coordinate a unique name");
  c.joint = joint;
  c.default_value = in.number("default_value", 0);
  c.default_speed = in.number("default_speed_value", 0);
  std::vector<double> range = in.numbers("range");
  if (range.empty()) range = {-1e3, 1e3};
  if (range.size() != 2 || range[0] > range[1])
    in.fail("its <range> is not two numbers, the smaller first", "give a lower and an upper bound");
  c.lower = range[0];
  c.upper = range[1];
  c.clamped = in.flag("clamped", false);
  c.locked = in.flag("locked", false);
  OsimCoordinateReading out{c, in, std::nullopt};
  if (in.flag("prescribed", false))
    if (const auto f = find_osim_function(in, "prescribed_function"))
      out.prescribed = read_osim_function(*f, 1);
  return out;
}

std::vector<OsimCoordinateReading> read_coordinates(const OsimElement& in) {
  std::vector<OsimElement> list = in.objects("coordinates");
  if (list.empty()) list = in.objects("CoordinateSet");
  std::vector<OsimCoordinateReading> out;
  for (const OsimElement& element : list) out.push_back(read_coordinate(element, in.name()));
  if (out.size() > kMaxJointDofs)
    in.fail("has " + std::to_string(out.size()) + " coordinates", "a joint has at most six");
  return out;
}

/// A coordinate missing in the file, with the name that OpenSim gives it.
OsimCoordinateReading default_coordinate(const OsimElement& joint, size_t k) {
  OsimCoordinate c;
  c.name = joint.name() + "_coord_" + std::to_string(k);
  c.joint = joint.name();
  c.lower = -1e3;
  c.upper = 1e3;
  return {c, joint, std::nullopt};
}

void read_simple(const OsimElement& in, const SimpleJoint& simple, OsimJoint& out) {
  if (out.coordinates.size() > simple.axes.size())
    in.fail("has " + std::to_string(out.coordinates.size()) + " coordinates",
            "a " + in.type() + " has " + std::to_string(simple.axes.size()));
  while (out.coordinates.size() < simple.axes.size())
    out.coordinates.push_back(default_coordinate(in, out.coordinates.size()));
  for (int k = 0; k < 6; ++k) axis_of(out, k).axis = Vec3::Unit(k % 3);
  for (size_t k = 0; k < simple.axes.size(); ++k) {
    TransformAxis& axis = axis_of(out, simple.axes[k]);
    axis.function = LinearFunction{{1}, 0};
    axis.coordinates = {static_cast<int>(k)};
  }
}

int find_coordinate(const OsimElement& axis, const OsimJoint& joint, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& c : joint.coordinates) names.push_back(c.coordinate.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    axis.fail("names the coordinate '" + name + "', which joint '" + joint.name + "' does not have",
              suggest(name, names));
  return static_cast<int>(found - names.begin());
}

void read_axis(const OsimElement& in, const OsimJoint& joint, TransformAxis& out) {
  if (const std::optional<Vec3> axis = in.vector3("axis")) out.axis = *axis;
  for (const std::string& name : in.words("coordinates"))
    out.coordinates.push_back(find_coordinate(in, joint, name));
  const int arguments = static_cast<int>(out.coordinates.size());
  if (const auto f = find_osim_function(in, "function"))
    out.function = read_osim_function(*f, arguments);
  else if (arguments == 1)
    out.function = LinearFunction{{1}, 0};
  else
    out.function = ConstantFunction{0};
  if (std::holds_alternative<ConstantFunction>(out.function)) out.coordinates.clear();
}

void read_custom(const OsimElement& in, OsimJoint& out) {
  static constexpr std::array kNames = {"rotation1",    "rotation2",    "rotation3",
                                        "translation1", "translation2", "translation3"};
  for (int k = 0; k < 6; ++k) axis_of(out, k).axis = Vec3::Unit(k % 3);
  const pugi::xml_node transform = in.property("SpatialTransform");
  if (transform.empty()) in.fail("has no <SpatialTransform>", "give the six axes of its motion");
  int position = 0;
  for (const OsimElement& axis :
       OsimElement(in.document(), transform.parent()).objects("SpatialTransform")) {
    if (axis.type() != "TransformAxis") axis.fail("is not a TransformAxis", "give six of those");
    const auto named = std::find(kNames.begin(), kNames.end(), axis.name());
    const int k = named != kNames.end() ? static_cast<int>(named - kNames.begin()) : position;
    if (k >= 6) axis.fail("is one too many", "give six axes: three rotations, three translations");
    read_axis(axis, out, axis_of(out, k));
    ++position;
  }
  std::set<int> used;
  for (int k = 0; k < 6; ++k)
    used.insert(axis_of(out, k).coordinates.begin(), axis_of(out, k).coordinates.end());
  for (size_t k = 0; k < out.coordinates.size(); ++k)
    if (used.count(static_cast<int>(k)) == 0)
      out.coordinates[k].element.fail("moves nothing: no axis of joint '" + out.name + "' names it",
                                      "use it in a <TransformAxis>, or remove it");
}

/// The child's origin lies on an ellipsoid of the parent, where the child's z axis
///     n = (sin b, −sin a cos b, cos a cos b)
/// points: p = (r_x n_x, r_y n_y, r_z n_z), a and b the turns about x and y.
void read_ellipsoid(const OsimElement& in, OsimJoint& out) {
  const std::vector<double> radii = in.numbers("radii_x_y_z");
  if (radii.size() != 3 || !std::all_of(radii.begin(), radii.end(), [](double r) { return r > 0; }))
    in.fail("its <radii_x_y_z> is not three positive numbers", "give the radii of the ellipsoid");
  constexpr double kQuarter = std::numbers::pi / 2;
  out.translation[0].function = SineProduct{radii[0], {0}};
  out.translation[0].coordinates = {1};
  out.translation[1].function = SineProduct{-radii[1], {0, kQuarter}};
  out.translation[2].function = SineProduct{radii[2], {kQuarter, kQuarter}};
  out.translation[1].coordinates = out.translation[2].coordinates = {0, 1};
}

void set_kinds(OsimJoint& joint) {
  for (size_t k = 0; k < joint.coordinates.size(); ++k) {
    bool turns = false;
    for (const TransformAxis& axis : joint.rotation)
      turns |= std::find(axis.coordinates.begin(), axis.coordinates.end(), static_cast<int>(k)) !=
               axis.coordinates.end();
    joint.coordinates[k].coordinate.kind = turns ? CoordinateKind::angle : CoordinateKind::length;
  }
}

/// φ = q for one coordinate.
bool is_identity(const TransformAxis& axis) {
  const auto* f = std::get_if<LinearFunction>(&axis.function);
  return f != nullptr && f->coefficients.size() == 1 && f->coefficients[0] == 1 && f->offset == 0;
}

bool is_zero(const TransformAxis& axis) {
  const auto* f = std::get_if<ConstantFunction>(&axis.function);
  return f != nullptr && f->value == 0;
}

}  // namespace

Joint OsimJoint::make(bool reversed, Pose& offset) const {
  std::vector<CoordinateKind> kinds;
  for (const auto& c : coordinates) kinds.push_back(c.coordinate.kind);
  offset = Pose();
  if (kinds.empty()) {
    const FunctionJoint still({CoordinateKind::angle}, rotation, translation, reversed);
    const std::array<double, 1> zero = {0};
    JointMotion motion;
    still.evaluate(zero, zero, motion);
    offset = motion.Q;
    return Fixed{};
  }
  // One axis that simply follows its coordinate is the most common joint, and has its own code.
  std::vector<const TransformAxis*> moving;
  for (const auto* three : {&rotation, &translation})
    for (const TransformAxis& axis : *three)
      if (!is_zero(axis)) moving.push_back(&axis);
  if (moving.size() == 1 && is_identity(*moving[0])) {
    const Vec3 axis = reversed ? -moving[0]->axis : moving[0]->axis;
    return kinds[0] == CoordinateKind::angle ? Joint(Revolute(axis)) : Joint(Prismatic(axis));
  }
  return FunctionJoint(kinds, rotation, translation, reversed);
}

OsimJoint read_osim_joint(const OsimElement& in, const OsimFrames& frames,
                          const std::string& owner) {
  OsimJoint out{in, in.name(), {}, {}, {}, {}, {}};
  if (out.name.empty()) in.fail("has no name", "give every joint a unique name");
  const auto& simple = simple_joints();
  const auto found = std::find_if(simple.begin(), simple.end(),
                                  [&](const SimpleJoint& s) { return s.type == in.type(); });
  if (in.type() == "ScapulothoracicJoint")
    in.fail("is a type of joint that cannot be read: it slides a scapula over an ellipsoid",
            "replace it by a CustomJoint with the same motion in the range that matters");
  if (found == simple.end() && in.type() != "CustomJoint")
    in.fail("is a type of joint that cannot be read",
            "replace it by a CustomJoint with the same motion");
  if (owner.empty()) {
    out.parent = frames.socket(in, "parent_frame", "parent_body");
    out.child = frames.socket(in, "child_frame");
  } else {
    out.parent = frames.find(in, in.has("parent_body") ? in.text("parent_body") : "ground");
    out.parent.E_BF = out.parent.E_BF * in.pose("location_in_parent", "orientation_in_parent");
    out.child = {owner, in.pose("location", "orientation")};
  }
  // In 3.x a reversed joint is written from the child's side; 4.x exchanges the frames instead.
  if (in.flag("reverse", false)) std::swap(out.parent, out.child);
  if (out.parent.body == out.child.body)
    in.fail("connects body '" + out.parent.body + "' with itself", "name two different bodies");
  out.coordinates = read_coordinates(in);
  if (found == simple.end())
    read_custom(in, out);
  else
    read_simple(in, *found, out);
  if (in.type() == "EllipsoidJoint") read_ellipsoid(in, out);
  set_kinds(out);
  return out;
}

}  // namespace sinew
