#include "sinew/io/osim/geometry.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "sinew/io/osim/model_parts.hpp"

namespace sinew {
namespace {

constexpr size_t kMostShapes = 20000;
using Kind = OsimGeometry::Kind;

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> kKinds = {
      {"Mesh", Kind::mesh},           {"Brick", Kind::brick},       {"Sphere", Kind::sphere},
      {"Ellipsoid", Kind::ellipsoid}, {"Cylinder", Kind::cylinder}, {"Cone", Kind::cone},
      {"Torus", Kind::torus},         {"LineGeometry", Kind::line}, {"Arrow", Kind::arrow}};
  return kKinds;
}

/// Sets of drawn shapes, outside of <defaults>.
class Collector : public pugi::xml_tree_walker {
 public:
  std::vector<pugi::xml_node> attached, visible;
  bool for_each(pugi::xml_node& node) override {
    const bool drawn = std::strcmp(node.name(), "attached_geometry") == 0;
    if (!drawn && std::strcmp(node.name(), "VisibleObject") != 0) return true;
    for (pugi::xml_node at = node; at; at = at.parent())
      if (std::strcmp(at.name(), "defaults") == 0) return true;
    (drawn ? attached : visible).push_back(node);
    return true;
  }
};

/// A pose with its y, or z, along a direction; z if that is zero.
Pose along(int axis, const Vec3& origin, const Vec3& direction) {
  const Vec3 d = direction.norm() > 0 ? direction.normalized() : Vec3::UnitZ();
  Pose out;
  out.R = Eigen::Quaterniond::FromTwoVectors(Vec3::Unit(axis), d).toRotationMatrix();
  out.p = origin;
  return out;
}

void read_size(const OsimElement& in, OsimGeometry& out) {
  switch (out.kind) {
    case Kind::mesh:
      out.file = in.text("mesh_file");
      break;
    case Kind::brick:
      out.size = in.vector3("half_lengths", Vec3(0.1, 0.2, 0.3));
      break;
    case Kind::sphere:
      out.size.x() = in.number("radius", 1);
      break;
    case Kind::ellipsoid:
      out.size = in.vector3("radii", Vec3(0.5, 1, 2));
      break;
    case Kind::cylinder:
      out.size.head<2>() = Eigen::Vector2d(in.number("radius", 0.5), in.number("half_height", 0.5));
      break;
    case Kind::cone:
      out.size.head<2>() = Eigen::Vector2d(in.number("base_radius", 0.5), in.number("height", 1));
      out.E_BG = out.E_BG * along(1, in.vector3("origin", Vec3::Zero()),
                                  in.vector3("direction", Vec3::Ones()));
      break;
    case Kind::torus:
      out.size.head<2>() =
          Eigen::Vector2d(in.number("ring_radius", 1), in.number("cross_section", 0.1));
      break;
    case Kind::line: {
      const Vec3 start = in.vector3("start_point", Vec3::Zero());
      out.size = in.vector3("end_point", Vec3::Ones()) - start;
      out.E_BG.p = out.E_BG * start;
      break;
    }
    case Kind::arrow: {
      const Vec3 direction = in.vector3("direction", Vec3::Ones());
      out.size = in.number("length", 1) * direction.normalized();
      out.E_BG.p = out.E_BG * in.vector3("start_point", Vec3::Zero());
      break;
    }
  }
}

OsimGeometry read_attached(const OsimElement& in, Kind kind, const OsimFrame& frame) {
  OsimGeometry out;
  out.name = in.name();
  out.kind = kind;
  out.body = frame.body;
  out.E_BG = frame.E_BF;
  out.scale = in.vector3("scale_factors", Vec3::Ones());
  read_size(in, out);
  if (const pugi::xml_node look = in.property("Appearance")) {
    const OsimElement appearance(in.document(), look);
    out.color = appearance.vector3("color", Vec3::Ones());
    out.opacity = appearance.number("opacity", 1);
    out.visible = appearance.flag("visible", true);
  }
  return out;
}

/// Three angles, then three lengths.
Pose read_transform(const OsimElement& in) {
  const std::vector<double> v = in.numbers("transform");
  if (v.empty()) return {};
  if (v.size() != 6)
    in.fail("its <transform> has " + std::to_string(v.size()) + " numbers",
            "give three angles and three lengths");
  return {rotation_xyz(Vec3(v[0], v[1], v[2])), Vec3(v[3], v[4], v[5])};
}

/// A <VisibleObject>: its shapes, or, in the oldest documents, a list of files.
void read_visible(const OsimElement& in, const OsimFrame& frame, std::vector<OsimGeometry>& out) {
  OsimGeometry common;
  common.body = frame.body;
  common.E_BG = frame.E_BF * read_transform(in);
  common.scale = in.vector3("scale_factors", Vec3::Ones());
  common.visible = in.number("display_preference", 4) != 0;
  for (const std::string& file : in.words("geometry_files")) {
    out.push_back(common);
    out.back().file = file;
  }
  for (const OsimElement& shape : in.objects("GeometrySet")) {
    if (shape.type() != "DisplayGeometry") continue;
    OsimGeometry one = common;
    one.file = shape.text("geometry_file");
    one.E_BG = common.E_BG * read_transform(shape);
    one.scale = common.scale.cwiseProduct(shape.vector3("scale_factors", Vec3::Ones()));
    one.color = shape.vector3("color", Vec3::Ones());
    one.opacity = shape.number("opacity", 1);
    one.visible = common.visible && shape.number("display_preference", 4) != 0;
    out.push_back(one);
  }
}

void require_few(const OsimElement& in, size_t count) {
  if (count > kMostShapes) in.fail("has more than 20000 shapes to draw", "remove some");
}

}  // namespace

const char* name_of(OsimGeometry::Kind kind) {
  for (const auto& [name, known] : kinds())
    if (known == kind) return name.c_str();
  return "";
}

const char* name_of(OsimContactGeometry::Kind kind) {
  switch (kind) {
    case OsimContactGeometry::Kind::sphere:
      return "ContactSphere";
    case OsimContactGeometry::Kind::half_space:
      return "ContactHalfSpace";
    case OsimContactGeometry::Kind::mesh:
      break;
  }
  return "ContactMesh";
}

std::vector<OsimGeometry> read_osim_geometry(const OsimFrames& frames,
                                             std::vector<std::string>& warnings,
                                             std::map<std::string, int>& unsupported) {
  std::vector<OsimGeometry> out;
  Collector collector;
  pugi::xml_node model = frames.document().model();
  model.traverse(collector);
  const OsimElement whole(frames.document(), model);
  const auto holder = [&](const OsimElement& shape) -> std::optional<OsimFrame> {
    try {
      return frames.enclosing_body(shape);
    } catch (const Error& error) {
      warnings.push_back(std::string(error.what()) + " (its contents are not drawn)");
      return std::nullopt;
    }
  };
  for (const pugi::xml_node& set : collector.attached)
    for (const OsimElement& shape :
         OsimElement(frames.document(), set.parent()).objects("attached_geometry")) {
      const auto kind = kinds().find(shape.type());
      if (kind == kinds().end()) {
        if (shape.type() != "FrameGeometry") shape.leave_out(unsupported);
        continue;
      }
      const auto frame = holder(shape);
      if (!frame) {
        shape.pass_over();
        continue;
      }
      out.push_back(read_attached(shape, kind->second, *frame));
      require_few(whole, out.size());
    }
  for (const pugi::xml_node& node : collector.visible) {
    const OsimElement shapes(frames.document(), node);
    if (const auto frame = holder(shapes)) read_visible(shapes, *frame, out);
    require_few(whole, out.size());
  }
  return out;
}

std::vector<OsimContactGeometry> read_osim_contact_geometry(
    const OsimFrames& frames, std::map<std::string, int>& unsupported) {
  using ContactKind = OsimContactGeometry::Kind;
  static const std::map<std::string, ContactKind> kContactKinds = {
      {"ContactSphere", ContactKind::sphere},
      {"ContactHalfSpace", ContactKind::half_space},
      {"ContactMesh", ContactKind::mesh}};
  std::vector<OsimContactGeometry> out;
  for (const OsimElement& in : model_parts(frames.document(), "ContactGeometrySet")) {
    const auto kind = kContactKinds.find(in.type());
    if (kind == kContactKinds.end()) {
      in.leave_out(unsupported);
      continue;
    }
    const OsimFrame frame = frames.socket(in, "frame", "body_name");
    OsimContactGeometry one;
    one.name = in.name();
    one.kind = kind->second;
    one.body = frame.body;
    one.E_BG = frame.E_BF * in.pose("location", "orientation");
    if (one.kind == ContactKind::sphere) one.radius = in.positive("radius", 1);
    if (one.kind == ContactKind::mesh) one.file = in.text("filename");
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const auto& other) { return other.name == one.name; });
    if (twice) in.fail("is defined twice", "give every contact shape a unique name");
    out.push_back(one);
    require_few(in, out.size());
  }
  return out;
}

namespace {

/// A file that is really in its folder: a link to one in another folder is not followed, so that a
/// model from elsewhere cannot make the program show other files.
bool is_own_file(const std::filesystem::path& place) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_regular_file(place, code)) return false;
  const fs::path target = fs::canonical(place, code);
  if (code) return false;
  return target.parent_path() == fs::canonical(fs::absolute(place, code).parent_path(), code);
}

}  // namespace

std::filesystem::path find_osim_mesh(const std::string& file, const std::filesystem::path& model,
                                     const std::vector<std::filesystem::path>& folders) {
  if (file.empty()) return {};
  namespace fs = std::filesystem;
  const fs::path name(file), beside = model.parent_path();
  std::vector<fs::path> places = {beside / name, beside / "Geometry" / name,
                                  beside / name.filename(), beside / "Geometry" / name.filename()};
  for (const fs::path& folder : folders) places.push_back(folder / name.filename());
  for (const fs::path& place : places)
    if (is_own_file(place)) return place;
  return {};
}

std::vector<std::filesystem::path> geometry_path_of_environment() {
  std::vector<std::filesystem::path> out;
  const char* text = std::getenv("SINEW_GEOMETRY_PATH");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace sinew
