#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/console.hpp"
#include "sinew/analysis/rest.hpp"
#include "sinew/analysis/strand_tensions.hpp"
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

ordered_json describe(const Strands& strands, const State& state, const System& system,
                      Workspace& ws) {
  const StrandTensions tensions(system);
  std::vector<double> values;
  tensions.read(state, system.controls(), ws, values);
  ordered_json list = ordered_json::array();
  for (const Strand& strand : strands.strands())
    list.push_back({{"name", strand.name},
                    {"mass", strand.density * strand.rest_length()},
                    {"nodes", ordered_json::array()}});
  for (const StrandReading& row : tensions.nodes(state, ws)) {
    const StrandNode& node = strands.nodes()[static_cast<size_t>(row.node)];
    ordered_json out{{"name", node.name},
                     {"kind", node.kind()},
                     {"material", row.material},
                     {"s", row.s},
                     {"position", {row.x.x(), row.x.y(), row.x.z()}},
                     {"length", row.length},
                     {"tension", nullptr}};
    const auto [before, behind] = tensions.along(row);
    const auto tension = [&](int k) {
      return k < 0 ? ordered_json() : ordered_json(values[static_cast<size_t>(k)]);
    };
    if (row.length > 0) out["tension"] = tension(before);
    if (row.guide >= 0)
      out["guide"] = {{"name", strands.guides()[static_cast<size_t>(row.guide)].name},
                      {"wound", row.wound},
                      {"entry", {row.entry.x(), row.entry.y(), row.entry.z()}},
                      {"exit", {row.exit.x(), row.exit.y(), row.exit.z()}},
                      {"tension_after", tension(behind)}};
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
  print_warnings(model.warnings);
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
    say(fmt::format("sinew: no rest was found: accelerations of {:g} m/s² are left\n",
                    rest.acceleration));
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
