#include "sinew/io/models/osim_scene.hpp"

#include "sinew/builder/system_builder.hpp"
#include "sinew/io/osim/osim_run.hpp"
#include "sinew/io/tables/external_loads.hpp"

namespace sinew {
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

OsimScene load_osim_scene(const std::filesystem::path& path, const OsimDrive& drive,
                          const std::string& loads, bool strict) {
  OsimModel model = load_osim(path, {.strict = strict});
  std::vector<std::string> warnings = warnings_of(model);
  OsimRun run;
  if (!drive.controls.empty()) read_controls(drive.controls, model, run, warnings);
  for (const std::string& excitation : drive.excitations) set_excitation(excitation, model, run);
  for (const std::string& initial : drive.initial)
    if (is_file(initial)) read_initial_state(initial, model, run, warnings);
  for (const std::string& initial : drive.initial)
    if (!is_file(initial)) set_initial(initial, model, run);
  const bool one_file = drive.initial.size() == 1 && is_file(drive.initial[0]);
  check_start(one_file ? drive.initial[0] : "--initial", model, run, warnings);

  SystemBuilder builder = model.system_builder(run);
  if (!loads.empty()) {
    const ExternalLoads external = read_external_loads(loads);
    warnings.insert(warnings.end(), external.warnings.begin(), external.warnings.end());
    for (const auto& force : external_forces(external, model.skeleton)) builder.add_force(force);
  }
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
  return load_osim_scene(path, {}, {}, /*strict=*/false);
}

}  // namespace sinew
