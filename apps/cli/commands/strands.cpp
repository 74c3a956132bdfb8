#include "sinew/strands/strands.hpp"

#include <fmt/format.h>

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

ordered_json describe(const Strands& strands, const State& state, const System& system,
                      Workspace& ws) {
  update_kinematics(system, state, ws);
  const size_t part = system.strands_index();
  controls_at(system, state, ws);
  const PartAt at = part_at(system, part, state, ws);
  ordered_json list = ordered_json::array();
  for (const Strand& strand : strands.strands())
    list.push_back({{"name", strand.name},
                    {"mass", strand.density * (*strand.points.back().s - *strand.points.front().s)},
                    {"nodes", ordered_json::array()}});
  for (const StrandReading& row : strands.read(at, *ws.parts[part])) {
    const StrandNode& node = strands.nodes()[static_cast<size_t>(row.node)];
    const bool free = std::holds_alternative<MaximalNode>(node.place);
    list[row.strand]["nodes"].push_back({{"name", node.name},
                                         {"kind", free ? "maximal" : "rigid"},
                                         {"material", row.material},
                                         {"s", row.s},
                                         {"position", {row.x.x(), row.x.y(), row.x.z()}},
                                         {"length", row.length},
                                         {"tension", row.tension}});
  }
  return list;
}

void print(const ordered_json& list) {
  for (const ordered_json& strand : list) {
    fmt::print("{}: {:.4g} kg\n", strand["name"].get<std::string>(), strand["mass"].get<double>());
    fmt::print("  {:<20} {:<8} {:<9} {:>10} {:>30} {:>11} {:>12}\n", "node", "kind", "", "s [m]",
               "position [m]", "length [m]", "tension [N]");
    for (const ordered_json& node : strand["nodes"]) {
      const auto x = node["position"].get<std::vector<double>>();
      fmt::print("  {:<20} {:<8} {:<9} {:>10.6g} {:>30}", node["name"].get<std::string>(),
                 node["kind"].get<std::string>(), node["material"].get<bool>() ? "" : "virtual",
                 node["s"].get<double>(), fmt::format("{:.4g} {:.4g} {:.4g}", x[0], x[1], x[2]));
      if (&node != &strand["nodes"].back())
        fmt::print(" {:>11.6g} {:>12.6g}", node["length"].get<double>(),
                   node["tension"].get<double>());
      fmt::print("\n");
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
          {"found", rest.found}, {"iterations", rest.iterations}, {"residual", rest.residual}};
    out["strands"] = list;
    fmt::print("{}\n", json_text(out));
  } else {
    print(list);
    if (options.settle)
      fmt::print("At rest: forces of {:.1e} are left after {} iterations.\n", rest.residual,
                 rest.iterations);
  }
  if (!rest.found)
    fmt::print(stderr, "sinew: no rest was found: forces of {:g} N are left\n", rest.residual);
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
