#include "sinew/io/models/model_source.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/scene/scene_library.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew {
namespace {

ModelSource from_osim(const std::filesystem::path& path) {
  OsimModel model = load_osim(path);
  ModelSource out;
  out.name = model.name;
  out.path = model.path;
  out.content_hash = model.content_hash;
  out.target = motion_target(model);
  out.skeleton = std::move(model.skeleton);
  out.gravity = model.gravity;
  out.forces = std::move(model.forces);
  out.paths = std::move(model.paths);
  out.markers = std::move(model.markers);
  out.geometry = std::move(model.geometry);
  out.warnings = std::move(model.warnings);
  return out;
}

ModelSource from_scene(const std::string& name, const std::vector<std::string>& set) {
  const Scene scene = load_scene(find_scene(name), set);
  const System& system = scene.system;
  if (system.coordinate_map() != nullptr)
    throw Error(name, "has dependent coordinates", "write them as couplings");
  ModelSource out;
  out.name = scene.name;
  out.path = scene.path;
  out.content_hash = scene.content_hash;
  out.target = motion_target(scene);
  out.skeleton = system.skeleton();
  out.gravity = system.gravity();
  out.forces = system.forces();
  for (const auto& muscle : system.muscles()) {
    // Inverse dynamics says what muscles must do: theirs pull with nothing of their own.
    out.muscles.push_back(muscle->muscle());
    out.muscles.back().hill.reset();
  }
  out.mass_origin = scene.mass_origin;
  out.shapes = scene.shapes;
  return out;
}

}  // namespace

ModelSource load_model(const std::string& model, const std::vector<std::string>& set) {
  if (!model.ends_with(".osim")) return from_scene(model, set);
  if (!set.empty())
    throw Error("--set", "changes scenes, not OpenSim models", "edit the model, or leave it out");
  return from_osim(model);
}

void add_massive_muscles(const Motion& motion, double specific_tension, ModelSource& model) {
  std::vector<VecX> poses;
  for (const MotionSample& sample : motion) poses.push_back(sample.q);
  OsimMasses masses = massive_muscles(model.paths, model.skeleton, poses, specific_tension);
  for (Muscle& muscle : masses.muscles) model.muscles.push_back(std::move(muscle));
  for (std::string& warning : masses.warnings) model.warnings.push_back(std::move(warning));
}

SystemBuilder motion_system(const ModelSource& model, const std::vector<std::string>& excluded) {
  SystemBuilder builder(model.skeleton);
  builder.set_gravity(model.gravity);
  const auto is_out = [&](const std::string& name) {
    return std::find(excluded.begin(), excluded.end(), name) != excluded.end();
  };
  for (const auto& force : model.forces)
    if (!is_out("ALL") && !is_out("all") && !is_out(force->name())) builder.add_force(force);
  for (const Muscle& muscle : model.muscles) builder.add_muscle(muscle);
  return builder;
}

std::vector<std::string> moment_labels(const std::vector<Coordinate>& coordinates) {
  std::vector<std::string> out;
  for (const Coordinate& c : coordinates)
    out.push_back(c.name + (c.kind == CoordinateKind::length ? "_force" : "_moment"));
  return out;
}

}  // namespace sinew
