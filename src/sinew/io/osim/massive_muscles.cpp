#include "sinew/io/osim/massive_muscles.hpp"

#include "sinew/io/tables/motion_target.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "sinew/muscles/opensim/path_with_fixed_wraps.hpp"

namespace sinew {
namespace {

/// Strength and tendon of a muscle; OpenSim's defaults where the file leaves them out.
HillMuscle parameters_of(const OsimPath& path) {
  if (path.hill) return path.hill->muscle;
  HillMuscle out;
  const auto read = [&](const char* key, double& into) {
    const auto found = path.properties.find(key);
    if (found != path.properties.end()) into = found->second;
  };
  read("max_isometric_force", out.max_isometric_force);
  read("optimal_fiber_length", out.optimal_fibre_length);
  read("tendon_slack_length", out.tendon_slack_length);
  return out;
}

double length_of(const OpenSimPath& path, const Skeleton& skeleton, const VecX& pose) {
  SkeletonWorkspace ws(skeleton);
  const VecX rest = VecX::Zero(skeleton.dof_count());
  const ConstVecRef q = pose, qdot = rest;
  update_kinematics(skeleton, q, qdot, ws);
  OpenSimPathWorkspace course;
  OpenSimPathOnSkeleton(skeleton, path).update({skeleton, 0, q, qdot, ws}, course);
  return course.length;
}

}  // namespace

OsimRoutes massive_routes(const OsimModel& model, const std::vector<VecX>& poses) {
  OsimRoutes out;
  out.reference.resize(model.skeleton.dof_count());
  for (size_t k = 0; k < model.coordinates.size(); ++k)
    out.reference[static_cast<Eigen::Index>(k)] = model.coordinates[k].default_value;
  motion_target(model).coupled.follow(out.reference);
  for (const OsimPath& path : model.paths) {
    if (!path.muscle) continue;
    WeighedMuscle& added = out.muscles.emplace_back();
    added.muscle.name = path.path.name;
    PathWithFixedWraps route = fix_wraps(path.path, model.skeleton, poses);
    added.muscle.points = std::move(route.points);
    added.muscle.spans = std::move(route.spans);
    for (const std::string& surface : route.left_out)
      out.warnings.push_back("muscle '" + added.muscle.name + "': its mass does not wrap around " +
                             surface);
    added.hill = parameters_of(path);
    added.path_length = length_of(path.path, model.skeleton, out.reference);
    added.muscle.material = belly_of(*added.hill, added.path_length);
  }
  return out;
}

}  // namespace sinew
