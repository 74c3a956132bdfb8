#include "sinew/io/models/loaded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/io/osim/osim_samples.hpp"
#include "sinew/io/scene/scene_library.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew {
namespace {

/// What the options change, whatever the file is.
SystemEdit edit_of(const LoadOptions& options, const Skeleton& skeleton, const ModelInputs& inputs,
                   std::vector<std::string>& warnings) {
  SystemEdit out;
  if (!options.run.empty()) out.start = read_run_start(options.run, inputs, warnings);
  if (options.loads.empty()) return out;
  const ExternalLoads loads = read_external_loads(options.loads);
  warnings.insert(warnings.end(), loads.warnings.begin(), loads.warnings.end());
  out.forces = external_forces(loads, skeleton);
  return out;
}

/// One edit after the other.
SystemEdit both(const SystemEdit& first, const SystemEdit& second) {
  SystemEdit out = first;
  out.forces.insert(out.forces.end(), second.forces.begin(), second.forces.end());
  out.constraints.insert(out.constraints.end(), second.constraints.begin(),
                         second.constraints.end());
  out.parts.insert(out.parts.end(), second.parts.begin(), second.parts.end());
  out.mass_on_bones |= second.mass_on_bones;
  if (second.move_mass) out.move_mass = second.move_mass;
  if (second.start) out.start = second.start;
  return out;
}

bool is_empty(const SystemEdit& edit) {
  return edit.forces.empty() && edit.constraints.empty() && edit.parts.empty() &&
         !edit.mass_on_bones && !edit.move_mass && !edit.start;
}

/// The warning about mass for muscles that are not there.
std::string no_muscles(const std::string& model) {
  return model + ": has no muscles, and --muscle-mass has no effect";
}

LoadedModel from_scene(const std::string& name, const LoadOptions& options) {
  if (options.strict)
    throw Error("--strict", "is for OpenSim models", "leave it out: scenes are always strict");
  if (options.smooth_paths)
    throw Error("--smooth-paths", "is for OpenSim models", "set the scene's \"wrap_model\"");
  if (options.blended_activation)
    throw Error("--blended-activation", "is for OpenSim models",
                "add --set muscles.activation_law=blended");
  LoadedModel out;
  const std::filesystem::path path = find_scene(name);
  // The file is read once: what it becomes later has no effect on what is looked at.
  const auto text = std::make_shared<const std::string>(read_text_file(path, kLargestScene));
  const auto parse = [path, text, set = options.set](const SystemEdit& edit) {
    Scene scene = parse_changed_scene(*text, path.string(), path.parent_path(), set, edit);
    scene.name = path.stem().string();
    scene.path = path;
    return scene;
  };
  auto scene = std::make_shared<const Scene>(parse({}));
  SystemEdit base = edit_of(options, scene->system.skeleton(), inputs_of(*scene), out.warnings);
  base.mass_on_bones = options.mass.off();
  out.start = base.start.value_or(RunStart{});
  if (options.mass.says() && !options.mass.off()) {
    std::shared_ptr<const MuscleMassRecord> record;
    base.move_mass = [&](const Skeleton& bones, const auto& muscles) {
      record =
          std::make_shared<const MuscleMassRecord>(move_muscle_mass(options.mass, bones, muscles));
      return record->transfer;
    };
    scene = std::make_shared<const Scene>(parse(base));
    base.move_mass = [record](const Skeleton&, const auto&) { return record->transfer; };
    out.muscle_mass = record;
    if (record)
      out.notes = remarks_of(*record);
    else
      out.warnings.push_back(no_muscles(path.string()));
  } else if (!is_empty(base)) {
    scene = std::make_shared<const Scene>(parse(base));
  }
  const System& system = scene->system;
  out.name = out.model_name = scene->name;
  out.title = scene->title;
  out.description = scene->description;
  out.citation = scene->citation;
  out.path = path;
  out.content_hash = scene->content_hash;
  out.scene = scene;
  out.settings = scene->settings;
  out.skeleton = system.skeleton();
  out.gravity = system.gravity();
  out.forces = system.forces();
  for (const auto& muscle : system.muscles()) {
    out.muscles.push_back(muscle->muscle());
    out.muscles.back().hill.reset();
  }
  out.mass_origin = scene->mass_origin;
  if (scene->muscle_mass) {
    out.muscle_mass = scene->muscle_mass;
    out.notes = remarks_of(*out.muscle_mass);
  }
  out.target = motion_target(*scene);
  out.look.shapes = scene->drawn;
  out.look.fixed = scene->fixed;
  if (system.has_massive_muscles()) out.mass_on_bones = false;
  out.build = [scene, parse, base](const SystemEdit& edit) {
    return is_empty(edit) ? scene->system : parse(both(base, edit)).system;
  };
  return out;
}

/// The muscles of an OpenSim model, without mass, on their fixed routes.
MassTransfer routes_alone(const OsimModel& model, LoadedModel& out) {
  OsimRoutes routes = massive_routes(model, poses_of(sample_states(model)));
  out.notes.insert(out.notes.end(), routes.warnings.begin(), routes.warnings.end());
  MassTransfer transfer{model.skeleton, {}, {}, {}, {}, {}, {}, {}};
  for (WeighedMuscle& route : routes.muscles)
    transfer.muscles.push_back(with_mass(route.muscle, 0));
  return transfer;
}

/// Moves mass into the muscles of an OpenSim model.
void give_mass(const OsimModel& model, const MuscleMassOptions& options, LoadedModel& out) {
  const OsimRoutes routes = massive_routes(model, poses_of(sample_states(model)));
  if (routes.muscles.empty()) {
    out.warnings.push_back(no_muscles(model.path.string()));
    return;
  }
  out.muscle_mass = std::make_shared<const MuscleMassRecord>(
      move_muscle_mass(options, model.skeleton, routes.muscles, routes.reference));
  out.notes.insert(out.notes.end(), routes.warnings.begin(), routes.warnings.end());
  for (std::string& remark : remarks_of(*out.muscle_mass)) out.notes.push_back(std::move(remark));
}

/// The same where nobody asked for it: models that cannot have mass in their muscles do without.
void offer_mass(const OsimModel& model, LoadedModel& out) {
  if (std::none_of(model.paths.begin(), model.paths.end(), [](const auto& p) { return p.muscle; }))
    return;
  try {
    give_mass(model, {.source = "volumes"}, out);
    if (out.muscle_mass && out.muscle_mass->transfer.moved() > 0) out.mass_on_bones = true;
  } catch (const Error& error) {
    out.notes.push_back(std::string("Muscles get no mass: ") + error.what());
  }
}

/// The same muscles with all mass on the bones.
MassTransfer on_bones(const OsimModel& model, MassTransfer transfer) {
  transfer.skeleton = model.skeleton;
  for (Muscle& muscle : transfer.muscles) muscle = with_mass(muscle, 0);
  return transfer;
}

System with_elements(SystemBuilder builder, const SystemEdit& edit) {
  for (const auto& force : edit.forces) builder.add_force(force);
  for (const auto& constraint : edit.constraints) builder.add_constraint(constraint);
  for (const auto& part : edit.parts) builder.add_part(part);
  return builder.build();
}

void blend_activations(OsimModel& model) {
  for (OsimPath& path : model.paths)
    if (path.hill) path.hill->activation.kind = ActivationDynamics::Kind::blended;
}

LoadedModel from_osim(const std::string& path, const LoadOptions& options) {
  OsimModel read = load_osim(path, {.strict = options.strict, .set = options.set});
  if (options.blended_activation) blend_activations(read);
  const auto model = std::make_shared<const OsimModel>(std::move(read));
  LoadedModel out;
  out.name = model->path.stem().string();
  out.model_name = model->name;
  out.title = "OpenSim model " + model->name;
  out.citation = model->publications;
  out.path = model->path;
  out.content_hash = model->content_hash;
  out.osim = model;
  out.settings.step.integrator = Integrator::sdirk4;
  out.settings.step.accuracy = 1e-4;
  out.settings.step.least_step = 1e-4;
  out.settings.output_interval = 0.01;
  out.settings.dt = 2e-3;
  out.skeleton = model->skeleton;
  out.gravity = model->gravity;
  out.forces = model->forces;
  out.target = motion_target(*model);
  for (const OsimCoordinate& c : model->coordinates)
    if (c.locked) out.locked.insert(c.name);
  out.state_names = osim_state_names(*model);
  out.look = {{}, {}, model->markers, model->geometry};
  out.warnings = model->warnings;
  for (const auto& [type, count] : model->unsupported)
    out.left_out.push_back(model->path.string() + ": " + std::to_string(count) + " " + type +
                           " cannot be read and has no effect");
  const SystemEdit base = edit_of(options, model->skeleton, inputs_of(*model), out.warnings);
  out.start = base.start.value_or(RunStart{});
  if (options.mass.says() && !options.mass.off()) {
    give_mass(*model, options.mass, out);
    if (out.muscle_mass) out.mass_on_bones = false;
  } else if (options.offer_mass && !options.mass.off()) {
    offer_mass(*model, out);
  }
  const OsimPulls pulls = options.smooth_paths ? OsimPulls::along_routes : OsimPulls::by_opensim;
  std::shared_ptr<const MassTransfer> routes;
  if (options.smooth_paths && !out.muscle_mass)
    routes = std::make_shared<const MassTransfer>(routes_alone(*model, out));
  out.build = [model, mass = out.muscle_mass, base, routes, pulls](const SystemEdit& edit) {
    const SystemEdit all = both(base, edit);
    const RunStart start = all.start.value_or(RunStart{});
    if (routes) return with_elements(model->system_builder(start, *routes, pulls), all);
    if (!mass) return with_elements(model->system_builder(start), all);
    return with_elements(
        model->system_builder(
            start, all.mass_on_bones ? on_bones(*model, mass->transfer) : mass->transfer, pulls),
        all);
  };
  return out;
}

}  // namespace

LoadedModel load_model(const std::string& path_or_name, const LoadOptions& options) {
  if (!options.mass.says()) require_no_more(options.mass);
  // The one place that tells files apart.
  return path_or_name.ends_with(".osim") ? from_osim(path_or_name, options)
                                         : from_scene(path_or_name, options);
}

std::vector<std::string> moved_starts(const LoadedModel& model, const System& system,
                                      const SimulationSettings& settings) {
  constexpr double kUnsaid = 1e-6;  // [rad, m]
  std::vector<std::string> out;
  const VecX q = initial_state(system, settings.step).q;
  for (size_t k = 0; k < system.coordinates().size(); ++k) {
    const std::string& name = system.coordinates()[k].name;
    const auto asked = model.start.values.find(name);
    const int dof = static_cast<int>(k);
    if (asked == model.start.values.end() || model.target.coupled.coupling_of(DofIndex(dof)))
      continue;
    if (std::abs(q[dof] - asked->second) > kUnsaid)
      out.push_back(
          fmt::format("--initial: '{}' starts at {:.6g}, not at {:.6g}: constraints or "
                      "contacts do not allow it",
                      name, q[dof], asked->second));
  }
  return out;
}

std::vector<std::string> osim_state_names(const OsimModel& model) {
  std::vector<std::string> out;
  for (const OsimCoordinate& c : model.coordinates)
    for (const char* kind : {"value", "speed"})
      out.push_back("/jointset/" + c.joint + "/" + c.name + "/" + kind);
  for (const OsimPath& path : model.paths)
    for (const char* kind : {"activation", "fiber_length"})
      if (path.pulls()) out.push_back("/forceset/" + path.path.name + "/" + kind);
  return out;
}

}  // namespace sinew
