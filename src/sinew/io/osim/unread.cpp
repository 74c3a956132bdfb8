#include "sinew/io/osim/unread.hpp"

#include <set>

namespace sinew {
namespace {

/// Appearance that only OpenSim's own window draws; settings of its tools for markers, scaling and
/// assembly; numbers that OpenSim itself ignores.
bool has_no_effect(const pugi::xml_node& node) {
  static const std::set<std::string_view> kAnywhere = {
      "Appearance",    "FrameGeometry",   "GeometrySet",   "ModelVisualPreferences",
      "VisibleObject", "color",           "default_color", "display_preference",
      "groups",        "input_transform", "scale_factors", "show_axes",
      "texture_file",  "transform"};
  static const std::map<std::string_view, std::set<std::string_view>> kOf = {
      {"Model", {"assembly_accuracy"}},
      {"Marker", {"fixed"}},
      {"PathWrap", {"method"}},  // for all surfaces except ellipsoids
      {"Coordinate", {"is_free_to_satisfy_constraints", "motion_type", "prescribed_function"}},
      {"MovingPathPoint",
       {"location", "socket_x_coordinate", "socket_y_coordinate", "socket_z_coordinate",
        "x_coordinate", "y_coordinate", "z_coordinate"}}};
  // Muscles described completely by their strength and rigid tendon.
  static const std::set<std::string_view> kOfMuscles = {"optimal_force", "default_fiber_length"};
  static const std::set<std::string_view> kOfGround = {"mass",       "mass_center", "inertia",
                                                       "inertia_xx", "inertia_yy",  "inertia_zz",
                                                       "inertia_xy", "inertia_xz",  "inertia_yz"};
  const std::string_view name = node.name(), owner = node.parent().name();
  const std::vector<std::string> words = split_words(node.text().get());
  if (kAnywhere.contains(name)) return true;
  if (const auto of = kOf.find(owner); of != kOf.end() && of->second.contains(name)) return true;
  if (owner.find("Muscle") != owner.npos && kOfMuscles.contains(name)) return true;
  if (std::string_view(node.parent().attribute("name").value()) == "ground" &&
      kOfGround.contains(name))
    return true;
  // Shapes are drawn on the frame that holds them.
  if (name == "socket_frame" && words == std::vector<std::string>{".."}) return true;
  // Empty elements have no effect.
  if (!words.empty() || *node.attribute("file").value() != 0) return false;
  for (const pugi::xml_node& child : node.children())
    if (child.type() == pugi::node_element && !has_no_effect(child)) return false;
  return true;
}

/// Sets whose contents are in a separate file.
class FileSets : public pugi::xml_tree_walker {
 public:
  explicit FileSets(std::map<std::string, int>& unsupported) : unsupported_(unsupported) {}
  bool for_each(pugi::xml_node& node) override {
    const std::string file = node.attribute("file").value();
    if (!file.empty())
      ++unsupported_[std::string(node.name()) + " of the file '" + file.substr(0, 80) + "'"];
    return true;
  }

 private:
  std::map<std::string, int>& unsupported_;
};

}  // namespace

void count_osim_unread(const OsimDocument& document, std::map<std::string, int>& unsupported) {
  for (const pugi::xml_node& node : document.unread())
    if (!has_no_effect(node))
      ++unsupported["<" + std::string(node.name()) + "> of " + node.parent().name()];
  FileSets sets(unsupported);
  pugi::xml_node model = document.model();
  model.traverse(sets);
}

}  // namespace sinew
