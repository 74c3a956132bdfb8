#include "sinew/view/source.hpp"

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/io/osim/osim_samples.hpp"
#include "sinew/io/scene/scene_edit.hpp"
#include "sinew/io/scene/scene_library.hpp"

namespace sinew {
namespace {

ViewSource view_of_scene(const std::string& name, const std::vector<std::string>& set) {
  const std::filesystem::path path = find_scene(name);
  // The file is read once: what it becomes later has no effect on what is looked at.
  const auto text = std::make_shared<const std::string>(read_text_file(path));
  const auto parse = [path, text, set](const ViewInputs& inputs) {
    SceneEdit change;
    if (inputs.pull) change.forces.push_back(inputs.pull);
    change.mass_on_bones = inputs.mass_on_bones;
    return parse_changed_scene(*text, path.string(), path.parent_path(), set, change);
  };
  Scene scene = parse({});
  ViewSource out;
  out.name = path.stem().string();
  out.title = scene.title;
  out.description = scene.description;
  out.citation = scene.citation;
  out.path = path;
  out.content_hash = scene.content_hash;
  out.settings = scene.settings;
  out.shapes = scene.shapes;
  out.ranges = scene.coordinate_ranges;
  if (scene.system.has_massive_muscles()) out.mass = MassView::muscles;
  out.warnings = scene.system.redundancies();
  out.build = [parse](const ViewInputs& inputs) { return parse(inputs).system; };
  return out;
}

ViewSource view_of_model(const std::string& path) {
  const auto model = std::make_shared<const OsimModel>(load_osim(path));
  auto masses = std::make_shared<OsimMasses>(
      massive_muscles(model->paths, model->skeleton, poses_of(sample_states(*model))));
  const auto build = [model, masses](const ViewInputs& inputs) {
    MassiveOsim massive =
        massive_system_builder(*model, {}, *masses, inputs.mass_on_bones ? 0 : kLargestShare);
    if (inputs.pull) massive.builder.add_force(inputs.pull);
    return massive.builder.build();
  };
  ViewSource out;
  out.name = model->path.stem().string();
  out.title = "OpenSim model " + model->name;
  out.citation = model->publications;
  out.path = model->path;
  out.content_hash = model->content_hash;
  // One solution a step, and none that may not be found: here what moves counts for more than the
  // second order of `sinew simulate`.
  out.settings.step.integrator = Integrator::linearly_implicit_euler;
  out.settings.dt = 2e-3;
  out.markers = model->markers;
  out.geometry = model->geometry;
  for (const OsimCoordinate& c : model->coordinates) {
    out.ranges[c.name] = {c.lower, c.upper};
    if (c.locked) out.locked.insert(c.name);
  }
  try {
    // As the file has it, until one asks for the other.
    if (build({}).has_massive_muscles()) out.mass = MassView::bones;
  } catch (const Error& error) {
    masses->muscles.clear();
    masses->warnings = {std::string("Muscles get no mass: ") + error.what()};
  }
  out.warnings = model->warnings;
  out.notes = masses->warnings;
  for (const auto& [type, count] : model->unsupported)
    out.warnings.push_back(std::to_string(count) + " " + type +
                           " cannot be read and has no effect");
  out.build = build;
  return out;
}

}  // namespace

ViewSource load_view_source(const std::string& model, const std::vector<std::string>& set) {
  if (!model.ends_with(".osim")) return view_of_scene(model, set);
  if (!set.empty())
    throw Error("--set", "changes scenes, not OpenSim models", "edit the model, or leave it out");
  return view_of_model(model);
}

}  // namespace sinew
