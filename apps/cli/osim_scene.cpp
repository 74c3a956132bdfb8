#include "osim_scene.hpp"

#include "model_source.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_run.hpp"

namespace sinew::cli {
namespace {

bool is_file(const std::string& text) {
  return text.find('=') == std::string::npos || text.ends_with(".sto") || text.ends_with(".mot");
}

std::vector<std::string> warnings_of(const OsimModel& model) {
  std::vector<std::string> out = model.warnings;
  for (const auto& [type, count] : model.unsupported)
    out.push_back(model.path.string() + ": " + std::to_string(count) + " " + type +
                  " cannot be read and has no effect");
  return out;
}

}  // namespace

OsimScene load_osim_scene(const SimulateOptions& options) {
  if (!options.set.empty())
    throw Error("--set", "changes scenes, not OpenSim models",
                "use --initial, --excitation, or edit the model");
  OsimModel model = load_osim(options.scene, {.strict = options.strict});
  std::vector<std::string> warnings = warnings_of(model);
  OsimRun run;
  if (!options.controls.empty()) read_controls(options.controls, model, run, warnings);
  for (const std::string& excitation : options.excitations) set_excitation(excitation, model, run);
  for (const std::string& initial : options.initial)
    if (is_file(initial)) read_initial_state(initial, model, run, warnings);
  for (const std::string& initial : options.initial)
    if (!is_file(initial)) set_initial(initial, model, run);
  const bool one_file = options.initial.size() == 1 && is_file(options.initial[0]);
  check_start(one_file ? options.initial[0] : "--initial", model, run, warnings);

  SystemBuilder builder = model.system_builder(run);
  if (!options.loads.empty())
    for (const auto& force : read_loads(options.loads, model.skeleton)) builder.add_force(force);
  Scene scene{.name = model.path.stem().string(),
              .title = "OpenSim model " + model.name,
              .description = {},
              .citation = model.publications,
              .path = model.path,
              .content_hash = model.content_hash,
              .system = builder.build(),
              .settings = {},
              .shapes = {},
              .constraint_types = {},
              .muscle_masses = {},
              .mass_moves = {},
              .mass_origin = {},
              .coordinate_ranges = {}};
  scene.settings.step.integrator = Integrator::sdirk2;
  scene.settings.dt = 2e-3;
  return {std::move(scene), state_names(model), std::move(warnings), std::move(model.geometry),
          std::move(model.markers)};
}

OsimScene load_drawn(const std::filesystem::path& path, const std::vector<std::string>& set) {
  if (path.extension() != ".osim") return {load_scene(path, set), {}, {}};
  SimulateOptions options;
  options.scene = path.string();
  return load_osim_scene(options);
}

}  // namespace sinew::cli
