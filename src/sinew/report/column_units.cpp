#include "sinew/report/column_units.hpp"

#include <algorithm>

namespace sinew {
namespace {

/// Empty for a name that is no coordinate's, and for parameters of splines.
std::string unit_of_coordinate(const System& system, const std::string& name, bool rate) {
  const std::vector<Coordinate>& all = system.all_coordinates();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Coordinate& c) { return c.name == name; });
  if (found == all.end()) return "";
  switch (found->kind) {
    case CoordinateKind::angle:
      return rate ? "rad/s" : "rad";
    case CoordinateKind::length:
      return rate ? "m/s" : "m";
    case CoordinateKind::time:
      return rate ? "" : "s";
    case CoordinateKind::parameter:
      break;
  }
  return "";
}

/// That of the first ending which the label has.
std::string unit_by_ending(const std::string& label,
                           std::initializer_list<std::pair<const char*, const char*>> endings) {
  for (const auto& [ending, unit] : endings)
    if (label.ends_with(ending)) return unit;
  return "";
}

}  // namespace

std::string unit_of_column(const System& system, const std::string& table,
                           const std::string& label) {
  if (table == "states") {
    std::string unit = unit_of_coordinate(system, label, false);
    if (!unit.empty() || !label.ends_with("_u")) return unit;
    return unit_of_coordinate(system, label.substr(0, label.size() - 2), true);
  }
  if (table == "energy") return "J";
  if (table == "bodies")
    return unit_by_ending(
        label,
        {{"_X", "m"}, {"_Y", "m"}, {"_Z", "m"}, {"_Ox", "rad"}, {"_Oy", "rad"}, {"_Oz", "rad"}});
  if (table == "vertices") return "m";
  if (table == "muscles")
    return unit_by_ending(
        label, {{"_length", "m"}, {"_rate", "m/s"}, {"_tension", "N"}, {"_wrapped_angle", "rad"}});
  if (table == "reactions")
    return label.find("_torque") != label.npos  ? "N·m"
           : label.find("_force") != label.npos ? "N"
                                                : "";
  if (table == "strands") {
    // The number of the piece follows; names of strands may hold the same words.
    const size_t length = label.rfind("_length_"), tension = label.rfind("_tension_");
    if (length == label.npos && tension == label.npos) return "";
    return length != label.npos && (tension == label.npos || length > tension) ? "m" : "N";
  }
  return table.ends_with("_states") ? unit_of_state(system, label) : "";
}

std::string unit_of_state(const System& system, const std::string& state) {
  const size_t slash = state.rfind('/');
  const std::string kind = slash == state.npos ? "value" : state.substr(slash + 1);
  const std::string path = state.substr(0, slash), name = path.substr(path.rfind('/') + 1);
  if (kind == "fiber_length" || kind == "fibre_length") return "m";
  if (kind != "value" && kind != "speed") return "";
  return unit_of_coordinate(system, name, kind == "speed");
}

}  // namespace sinew
