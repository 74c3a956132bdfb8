#include "sinew/io/studies/studied_muscles.hpp"

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace {

void study_scene(const std::shared_ptr<const Scene>& scene, StudiedMuscles& out) {
  const System& system = scene->system;
  out.q0 = initial_state(system, scene->settings.step).q;
  for (const auto& muscle : system.muscles()) {
    out.names.push_back(muscle->name());
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
}

void study_osim(const std::shared_ptr<const OsimModel>& model, StudiedMuscles& out) {
  out.q0.resize(static_cast<Eigen::Index>(model->coordinates.size()));
  for (size_t k = 0; k < model->coordinates.size(); ++k)
    out.q0[static_cast<Eigen::Index>(k)] = model->coordinates[k].default_value;
  out.model.target.coupled.follow(out.q0);
  std::vector<OpenSimPath> paths;
  for (const OsimPath& muscle : model->paths) {
    if (!muscle.muscle) continue;
    paths.push_back(muscle.path);
    out.names.push_back(muscle.path.name);
    out.hill.push_back(muscle.hill);
  }
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
}

}  // namespace

StudiedMuscles studied_muscles(LoadedModel model) {
  StudiedMuscles out;
  out.model = std::move(model);
  if (out.model.scene)
    study_scene(out.model.scene, out);
  else
    study_osim(out.model.osim, out);
  out.range = {out.q0, out.q0};  // coordinates of parts stay
  for (size_t k = 0; k < out.coordinates().size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const CoordinateRange span =
        span_of(out.coordinates()[k], out.model.target.ranges[k], kStudyReach);
    out.range.lower[at] = span.lower;
    out.range.upper[at] = span.upper;
  }
  if (out.names.empty())
    throw Error(out.model.name, "has no muscles",
                out.model.osim ? "give a model that has" : "see `sinew scenes`");
  return out;
}

}  // namespace sinew
