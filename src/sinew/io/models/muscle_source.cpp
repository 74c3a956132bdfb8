#include "sinew/io/models/muscle_source.hpp"

#include <cmath>

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/scene/scene_library.hpp"

namespace sinew {
namespace {

/// What a coordinate without a range is taken to move through, on either side of its default
/// [rad, m].
constexpr double kDefaultAngle = 0.5, kDefaultLength = 0.05;
/// A wider one is none that a joint has [rad, m].
constexpr double kWidest = 20;

std::pair<double, double> range_of(const Coordinate& c, const CoordinateRange& given) {
  const double half = c.kind == CoordinateKind::length ? kDefaultLength : kDefaultAngle;
  std::pair range(c.q0 - half, c.q0 + half);
  if (std::isfinite(given.lower)) range.first = given.lower;
  if (std::isfinite(given.upper)) range.second = given.upper;
  // One end given, beyond the default one of the other.
  if (range.first > range.second) range = {c.q0, c.q0};
  return range;
}

void set_range(size_t k, const std::pair<double, double>& range, PoseRange& out) {
  std::tie(out.lower[static_cast<Eigen::Index>(k)], out.upper[static_cast<Eigen::Index>(k)]) =
      range;
}

MuscleSource muscles_of_scene(const std::string& name, const std::vector<std::string>& set) {
  const auto scene = std::make_shared<const Scene>(load_scene(find_scene(name), set));
  const System& system = scene->system;
  MuscleSource out;
  out.name = scene->name;
  out.path = scene->path;
  out.content_hash = scene->content_hash;
  out.coordinates = system.coordinates();
  out.range = {VecX(system.dof_count()), VecX(system.dof_count())};
  out.target = motion_target(*scene);
  for (size_t k = 0; k < out.coordinates.size(); ++k)
    set_range(k, range_of(out.coordinates[k], out.target.ranges[k]), out.range);
  out.q0 = initial_state(system, scene->settings.step).q;
  for (const auto& muscle : system.muscles()) {
    out.muscles.push_back(muscle->name());
    out.hill.push_back(muscle->muscle().hill);
  }
  const auto ws = std::make_shared<Workspace>(system);
  out.update = [scene, ws](double t, const VecX& q, const VecX& qdot,
                           std::vector<MusclePath>& paths) {
    update_muscle_paths(scene->system, {t, q, qdot}, *ws, paths);
  };
  out.couplings = [scene, ws](const VecX& q) -> MatX {
    if (scene->system.coordinate_map())
      return MatX::Identity(q.size(), q.size());  // what depends moves along already
    return coupled_speeds(scene->system.skeleton(), scene->system.constraints(), ws->skeleton, q);
  };
  return out;
}

MuscleSource muscles_of_model(const std::string& path) {
  const auto model = std::make_shared<const OsimModel>(load_osim(path));
  const auto n = static_cast<Eigen::Index>(model->coordinates.size());
  MuscleSource out;
  out.name = model->name;
  out.path = model->path;
  out.content_hash = model->content_hash;
  out.coordinates = model->skeleton.coordinates();
  out.range = {VecX(n), VecX(n)};
  out.q0 = VecX(n);
  out.target = motion_target(*model);
  for (size_t k = 0; k < model->coordinates.size(); ++k) {
    const CoordinateRange& given = out.target.ranges[k];
    const bool wide = given.upper - given.lower >= kWidest;
    set_range(k, range_of(out.coordinates[k], wide ? CoordinateRange() : given), out.range);
    out.q0[static_cast<Eigen::Index>(k)] = model->coordinates[k].default_value;
  }
  out.target.coupled.follow(out.q0);
  std::vector<OpenSimPath> paths;
  for (const OsimPath& muscle : model->paths) {
    if (!muscle.muscle) continue;
    paths.push_back(muscle.path);
    out.muscles.push_back(muscle.path.name);
    out.hill.push_back(muscle.hill);
  }
  out.warnings = model->warnings;
  out.has_spans = false;
  const auto ws = std::make_shared<SkeletonWorkspace>(model->skeleton);
  out.update = [model, ws, paths = std::move(paths)](double, const VecX& q, const VecX& qdot,
                                                     std::vector<MusclePath>& result) {
    update_kinematics(model->skeleton, q, qdot, *ws);
    update_opensim_paths(model->skeleton, paths, q, qdot, *ws, result);
  };
  out.couplings = [model, ws](const VecX& q) {
    return coupled_speeds(model->skeleton, model->constraints, *ws, q);
  };
  return out;
}

}  // namespace

MuscleSource load_muscles(const std::string& model, const std::vector<std::string>& set) {
  const bool osim = model.ends_with(".osim");
  if (osim && !set.empty())
    throw Error("--set", "changes scenes, not OpenSim models", "edit the model, or leave it out");
  MuscleSource out = osim ? muscles_of_model(model) : muscles_of_scene(model, set);
  if (out.muscles.empty())
    throw Error(model, "has no muscles", osim ? "give a model that has" : "see `sinew scenes`");
  return out;
}

}  // namespace sinew
