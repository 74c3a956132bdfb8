#include "sinew/strands/strands.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "sinew/analysis/rest.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct StrandsOptions {
  std::string scene;
  std::vector<std::string> set;
  bool settle = false;
  bool json = false;
};

/// Tensions of the sections that do not stretch, by the names of their constraints. Limits have
/// none at one moment.
std::map<std::string, double> held_tensions(const System& system, const State& state,
                                            Workspace& ws) {
  std::map<std::string, double> out;
  if (system.constraints().empty()) return out;
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  const auto measured = measure_constraints(system, state, ws);
  for (size_t k = 0; k < measured.size(); ++k)
    if (measured[k].size() == 1) out[system.constraints()[k]->name()] = measured[k][0].value;
  return out;
}

const char* kind_of(const StrandNode& node) {
  if (const auto* shaped = std::get_if<ShapedNode>(&node.place)) return name_of(shaped->shape);
  return std::holds_alternative<MaximalNode>(node.place) ? "maximal" : "rigid";
}

ordered_json describe(const Strands& strands, const State& state, const System& system,
                      Workspace& ws) {
  const std::map<std::string, double> held = held_tensions(system, state, ws);
  update_kinematics(system, state, ws);
  controls_at(system, state, ws);
  const size_t part = system.strands_index();
  const PartAt at = part_at(system, part, state, ws);
  ordered_json list = ordered_json::array();
  for (const Strand& strand : strands.strands())
    list.push_back({{"name", strand.name},
                    {"mass", strand.density * strand.rest_length()},
                    {"nodes", ordered_json::array()}});
  for (const StrandReading& row : strands.read(at, *ws.parts[part])) {
    const StrandNode& node = strands.nodes()[static_cast<size_t>(row.node)];
    const Strand& strand = strands.strands()[row.strand];
    ordered_json out{{"name", node.name},
                     {"kind", kind_of(node)},
                     {"material", row.material},
                     {"s", row.s},
                     {"position", {row.x.x(), row.x.y(), row.x.z()}},
                     {"length", row.length},
                     {"tension", nullptr}};
    const auto tension = [&](int number, double elastic) -> ordered_json {
      if (strand.length == StrandLength::elastic) return elastic;
      const auto found = held.find(strand.name + "_" + std::to_string(number));
      return found == held.end() ? ordered_json() : ordered_json(found->second);
    };
    if (row.length > 0) out["tension"] = tension(row.row, row.tension);
    if (row.guide >= 0)
      out["guide"] = {{"name", strands.guides()[static_cast<size_t>(row.guide)].name},
                      {"wound", row.wound},
                      {"entry", {row.entry.x(), row.entry.y(), row.entry.z()}},
                      {"exit", {row.exit.x(), row.exit.y(), row.exit.z()}},
                      {"tension_after", tension(row.row_after, row.tension_after)}};
    list[row.strand]["nodes"].push_back(out);
  }
  return list;
}

std::string number_or_dash(const ordered_json& value) {
  return value.is_null() ? "–" : fmt::format("{:.6g}", value.get<double>());
}
std::string point_text(const ordered_json& value) {
  const auto x = value.get<std::vector<double>>();
  return fmt::format("{:.4g} {:.4g} {:.4g}", x[0], x[1], x[2]);
}

void print(const ordered_json& list) {
  for (const ordered_json& strand : list) {
    fmt::print("{}: {:.4g} kg\n", strand["name"].get<std::string>(), strand["mass"].get<double>());
    fmt::print("  {:<20} {:<9} {:<9} {:>10} {:>30} {:>11} {:>12}\n", "node", "kind", "", "s [m]",
               "position [m]", "length [m]", "tension [N]");
    for (const ordered_json& node : strand["nodes"]) {
      fmt::print("  {:<20} {:<9} {:<9} {:>10.6g} {:>30}", node["name"].get<std::string>(),
                 node["kind"].get<std::string>(), node["material"].get<bool>() ? "" : "virtual",
                 node["s"].get<double>(), point_text(node["position"]));
      if (&node != &strand["nodes"].back())
        fmt::print(" {:>11.6g} {:>12}", node["length"].get<double>(),
                   number_or_dash(node["tension"]));
      fmt::print("\n");
      if (!node.contains("guide")) continue;
      const ordered_json& guide = node["guide"];
      fmt::print("    around {}: {:.6g} rad from ({}) to ({}), then {} N\n",
                 guide["name"].get<std::string>(), guide["wound"].get<double>(),
                 point_text(guide["entry"]), point_text(guide["exit"]),
                 number_or_dash(guide["tension_after"]));
    }
  }
  fmt::print("Lengths and tensions are those of the piece after each node.\n");
}

int run_strands(const StrandsOptions& options) {
  const LoadedModel model = load_model(options.scene, {.set = options.set});
  const System* system = model.scene ? &model.scene->system : nullptr;
  if (system == nullptr || system->strands() == nullptr)
    throw Error(options.scene, "has no strands", "name a scene with 'strands'");
  Workspace ws(*system);
  State state = initial_state(*system, model.scene->settings.step);
  RestReport rest{.found = true};
  if (options.settle) rest = find_rest(*system, state, ws);
  const ordered_json list = describe(*system->strands(), state, *system, ws);
  if (options.json) {
    ordered_json out{{"scene", model.scene->name}};
    if (options.settle)
      out["rest"] = {
          {"found", rest.found}, {"steps", rest.steps}, {"acceleration", rest.acceleration}};
    out["strands"] = list;
    fmt::print("{}\n", json_text(out));
  } else {
    print(list);
    if (options.settle)
      fmt::print("Accelerations of {:.1e} are left after {} steps to rest.\n", rest.acceleration,
                 rest.steps);
  }
  if (!rest.found)
    fmt::print(stderr, "sinew: no rest was found: accelerations of {:g} m/s² are left\n",
               rest.acceleration);
  return rest.found ? kOk : kFailed;
}

}  // namespace

Command add_strands(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "strands", "List the nodes of a scene's strands: material, lengths, tensions");
  const auto o = std::make_shared<StrandsOptions>();
  c->add_option("scene", o->scene, "Name of a scene (see `sinew scenes`), or a scene file")
      ->required();
  c->add_flag("--settle", o->settle, "First let the scene come to rest");
  add_set(*c, o->set);
  add_json(*c, o->json);
  c->footer("Examples\n  sinew strands catenary\n  sinew strands catenary --settle --json");
  return {c, [o](const std::string&) { return run_strands(*o); }};
}

}  // namespace sinew::cli
