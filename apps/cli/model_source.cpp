#include "model_source.hpp"

#include <fmt/format.h>

#include "scene_library.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/scene.hpp"
#include "sinew/muscles/fixed_route.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew::cli {
namespace {

constexpr double kDensity = 1059.7;  // of muscle [kg/m³]: Mendez and Keys, Metabolism 9, 1960

/// F₀ l₀ of a muscle [N m]; OpenSim's defaults where the file leaves them out.
double strength(const OsimPath& path) {
  const auto number = [&](const char* key, double otherwise) {
    const auto found = path.properties.find(key);
    return found == path.properties.end() ? otherwise : found->second;
  };
  const HillMuscle defaults;
  return number("max_isometric_force", defaults.max_isometric_force) *
         number("optimal_fiber_length", defaults.optimal_fibre_length);
}

ModelSource from_osim(const std::filesystem::path& path) {
  OsimModel model = load_osim(path);
  ModelSource out;
  out.name = model.name;
  out.path = model.path;
  out.content_hash = model.content_hash;
  out.skeleton = std::move(model.skeleton);
  out.gravity = model.gravity;
  out.forces = std::move(model.forces);
  out.paths = std::move(model.paths);
  out.markers = std::move(model.markers);
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
  out.skeleton = system.skeleton();
  out.gravity = system.gravity();
  out.forces = system.forces();
  for (const auto& muscle : system.muscles()) out.muscles.push_back(muscle->muscle());
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
  for (const OsimPath& path : model.paths) {
    if (!path.muscle) continue;
    Muscle muscle;
    muscle.name = path.path.name;
    muscle.mass = kDensity * strength(path) / specific_tension;
    try {
      FixedRoute route = fix_route(path.path, model.skeleton, poses);
      muscle.points = std::move(route.points);
      muscle.spans = std::move(route.spans);
      for (const std::string& surface : route.left_out)
        model.warnings.push_back("muscle '" + muscle.name + "': its mass does not wrap around '" +
                                 surface + "', which shares a segment with another surface");
      model.muscles.push_back(std::move(muscle));
    } catch (const Error& error) {
      model.warnings.push_back("muscle '" + muscle.name + "' gets no mass: " + error.what());
    }
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "sinew: warning: {}\n", warning);
}

std::vector<std::string> moment_labels(const std::vector<Coordinate>& coordinates) {
  std::vector<std::string> out;
  for (const Coordinate& c : coordinates)
    out.push_back(c.name + (c.kind == CoordinateKind::length ? "_force" : "_moment"));
  return out;
}

}  // namespace sinew::cli
