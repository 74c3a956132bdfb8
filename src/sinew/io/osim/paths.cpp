#include "sinew/io/osim/paths.hpp"

#include <algorithm>

#include "sinew/core/names.hpp"
#include "sinew/io/osim/functions.hpp"

namespace sinew {
namespace {

constexpr size_t kMostPathPoints = 500;  ///< points of one path
constexpr size_t kMostSurfaces = 20;     ///< surfaces that one path may meet

class SurfaceCollector : public pugi::xml_tree_walker {
 public:
  std::vector<pugi::xml_node> sets;
  bool for_each(pugi::xml_node& node) override {
    if (std::string_view(node.name()) == "WrapObjectSet") sets.push_back(node);
    return true;
  }
};

bool inside_defaults(pugi::xml_node node) {
  for (; node; node = node.parent())
    if (std::string_view(node.name()) == "defaults") return true;
  return false;
}

/// "all", "x", "+x", "-x", …; also in upper case.
void read_quadrant(const OsimElement& in, PathSurface& out) {
  std::string text = in.text("quadrant");
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.empty() || text == "all" || text == "unassigned") return;
  const char letter = text.back();
  const bool sign = text.size() == 2 && (text[0] == '+' || text[0] == '-');
  if ((text.size() != 1 && !sign) || letter < 'x' || letter > 'z')
    in.fail("its <quadrant> is '" + text.substr(0, 40) + "'",
            "write all, or x, y or z with a sign");
  out.axis = letter - 'x';
  out.sign = text[0] == '-' ? -1 : 1;
}

std::optional<PathSurface> read_surface(const OsimElement& in, const OsimScope& scope) {
  PathSurface out;
  out.name = in.name();
  const std::string type = in.type();
  if (type == "WrapCylinder") {
    out.wrap = CylinderWrap{.radius = in.positive("radius", 1),
                            .half_length = 0.5 * in.positive("length", 1)};
  } else if (type == "WrapSphere") {
    out.wrap = SphereWrap{.radius = in.positive("radius", 1)};
  } else if (type == "WrapEllipsoid") {
    out.wrap = EllipsoidWrap{.semi_axes = in.vector3("dimensions", Vec3::Constant(0.05))};
  } else if (type == "WrapTorus") {
    const double tube = in.positive("inner_radius", 0.05);
    out.wrap = TorusWrap{.radius = in.positive("outer_radius", 0.1), .tube = tube};
  } else {
    return std::nullopt;
  }
  const OsimFrame frame = scope.frames().enclosing(in);
  out.body = scope.body(frame);
  out.E_BS = frame.E_BF * in.pose("translation", "xyz_body_rotation");
  out.active = in.flag("active", true);
  read_quadrant(in, out);
  try {
    validate(out, in.label());
  } catch (const Error& error) {
    throw error.with_location(in.document().source(), in.line());
  }
  return out;
}

std::pair<double, double> range_of(const OsimPathScope& scope, DofIndex dof) {
  const OsimCoordinate& c = scope.coordinates[static_cast<size_t>(dof.value)];
  return {c.lower, c.upper};
}

void read_condition(const OsimElement& in, const OsimPathScope& scope, OpenSimPathPoint& out) {
  out.condition = scope.scope.coordinate_socket(in, "coordinate", "coordinate");
  const std::vector<double> range = in.numbers("range");
  if (range.size() != 2 || range[0] > range[1])
    in.fail("its <range> is not two numbers, the smaller first", "give a lower and an upper bound");
  out.lower = range[0];
  out.upper = range[1];
}

void read_motion(const OsimElement& in, const OsimPathScope& scope, const Pose& E_BF,
                 OpenSimPathPoint& out) {
  static constexpr std::array kLetters = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    const std::string letter = kLetters[static_cast<size_t>(k)];
    const std::string location = letter + "_location", coordinate = letter + "_coordinate";
    const auto f = find_osim_function(in, location.c_str());
    if (!f) continue;
    OpenSimPathPoint::Motion motion;
    motion.axis_B = E_BF.R.col(k);
    motion.f = read_osim_function(*f, 1);
    if (!std::holds_alternative<ConstantFunction>(motion.f)) {
      motion.dof = scope.scope.coordinate_socket(in, coordinate.c_str(), coordinate.c_str());
      std::tie(motion.lower, motion.upper) = range_of(scope, motion.dof);
    }
    out.motions.push_back(motion);
  }
}

OpenSimPathPoint read_point(const OsimElement& in, const OsimPathScope& scope) {
  const std::string type = in.type();
  if (type != "PathPoint" && type != "ConditionalPathPoint" && type != "MovingPathPoint")
    in.fail("is a kind of path point that cannot be read",
            "use a PathPoint, ConditionalPathPoint or MovingPathPoint");
  const OsimFrame frame = scope.scope.frames().socket(in, "parent_frame", "body");
  OpenSimPathPoint out;
  out.body = scope.scope.body(frame);
  out.x_B = frame.E_BF.p;
  if (type == "MovingPathPoint")
    read_motion(in, scope, frame.E_BF, out);
  else
    out.x_B = frame.E_BF * in.vector3("location", Vec3::Zero());
  if (type == "ConditionalPathPoint") read_condition(in, scope, out);
  return out;
}

/// How OpenSim chooses its plane through an ellipsoid, by which it also chooses the side of
/// surfaces with a quadrant: we do that as its default, `hybrid`, does.
void note_method(const OsimElement& in, const Wrap& wrap, std::map<std::string, int>& unsupported) {
  if (!std::holds_alternative<EllipsoidWrap>(wrap)) return;  // has no effect
  const std::string method = in.text("method");
  if (method == "midpoint" || method == "axial")
    ++unsupported["PathWrap method " + method];
  else if (method != "hybrid" && !method.empty() && method != "Unassigned")
    in.fail("its <method> is not known", "give hybrid, midpoint or axial");
}

OpenSimPathSurface read_wrap(const OsimElement& in, const OsimPathScope& scope, size_t points) {
  const std::string name = last_of_path(in.text("wrap_object"));
  const auto found = scope.surfaces.find(name);
  if (found == scope.surfaces.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : scope.surfaces) names.push_back(known);
    in.fail("refers to '" + name.substr(0, 200) + "', which is not a surface of the model",
            suggest(name, names));
  }
  note_method(in, found->second->wrap, scope.unsupported);
  std::vector<double> range = in.numbers("range");
  if (range.empty()) range = {-1, -1};
  const auto last = static_cast<double>(points);
  if (range.size() != 2 || range[0] > last || range[1] > last)
    in.fail("its <range> is not two of the path's points", "count from 1; -1 is the end");
  OpenSimPathSurface out{
      found->second, range[0] < 1 ? 0 : static_cast<int>(range[0]) - 1,
      range[1] < 1 ? static_cast<int>(points) - 1 : static_cast<int>(range[1]) - 1};
  if (out.first > out.last)
    in.fail("its <range> ends before it begins", "give the first point, then the last");
  return out;
}

}  // namespace

OsimSurfaces read_osim_surfaces(const OsimScope& scope, std::map<std::string, int>& unsupported) {
  OsimSurfaces out;
  if (scope.frames().bodies().empty()) return out;
  const OsimDocument& document = scope.frames().bodies().front().document();
  SurfaceCollector collector;
  pugi::xml_node model = document.model();
  model.traverse(collector);
  for (const pugi::xml_node& set : collector.sets) {
    if (inside_defaults(set)) continue;
    for (const OsimElement& element :
         OsimElement(document, set.parent()).objects("WrapObjectSet")) {
      const std::optional<PathSurface> surface = read_surface(element, scope);
      if (!surface)
        element.leave_out(unsupported);
      else if (!out.emplace(surface->name, std::make_shared<PathSurface>(*surface)).second)
        element.fail("is defined twice", "give every surface a unique name");
    }
  }
  return out;
}

std::optional<OpenSimPath> read_osim_path(const OsimElement& force, const OsimPathScope& scope,
                                          std::string& other) {
  pugi::xml_node node = force.property("GeometryPath");
  if (node.empty())
    if (const auto path = force.object("path")) {
      node = path->node();
      if (path->type() != "GeometryPath") {
        other = path->type();
        return std::nullopt;
      }
    }
  if (node.empty()) force.fail("has no path", "give it a <GeometryPath>");
  const OsimElement in(force.document(), node);
  OpenSimPath out;
  out.name = force.name();
  const std::vector<OsimElement> points = in.objects("PathPointSet");
  const std::vector<OsimElement> wraps = in.objects("PathWrapSet");
  if (points.size() > kMostPathPoints || wraps.size() > kMostSurfaces)
    force.fail("its path has too many points or surfaces", "at most 500 points and 20 surfaces");
  for (const OsimElement& point : points) out.points.push_back(read_point(point, scope));
  for (const OsimElement& wrap : wraps)
    out.surfaces.push_back(read_wrap(wrap, scope, out.points.size()));
  try {
    validate(out, force.label());
  } catch (const Error& error) {
    throw error.with_location(force.document().source(), force.line());
  }
  return out;
}

}  // namespace sinew
