#include "sinew/io/studies/motion_model.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"

namespace sinew {

LoadedModel load_motion_model(const std::string& model, const std::vector<std::string>& set) {
  LoadedModel out = load_model(model, {.set = set});
  if (out.scene && out.scene->system.coordinate_map() != nullptr)
    throw Error(model, "has dependent coordinates", "write them as couplings");
  return out;
}

void add_massive_muscles(const Motion& motion, double specific_tension, LoadedModel& model) {
  if (!model.osim) return;
  std::vector<VecX> poses;
  for (const MotionSample& sample : motion) poses.push_back(sample.q);
  OsimMasses masses = massive_muscles(model.osim->paths, model.skeleton, poses, specific_tension);
  for (Muscle& muscle : masses.muscles) model.muscles.push_back(std::move(muscle));
  for (std::string& warning : masses.warnings) model.warnings.push_back(std::move(warning));
}

SystemBuilder motion_system(const LoadedModel& model, const std::vector<std::string>& excluded) {
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
