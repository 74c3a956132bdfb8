#include "sinew/io/studies/motion_model.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/muscles/transfer/mass_on_bones.hpp"

namespace sinew {

LoadedModel load_motion_model(const std::string& model, const std::vector<std::string>& set) {
  LoadedModel out = load_model(model, {.set = set});
  if (out.scene && out.scene->system.coordinate_map() != nullptr)
    throw out.scene->system.coordinate_map()->drives()
        ? Error(model, "has coordinates that time drives", "use `sinew simulate`")
        : Error(model, "has dependent coordinates", "write them as couplings");
  return out;
}

UnweighedModel unweighed(LoadedModel& model, const std::vector<VecX>& poses) {
  if (model.osim) {
    OsimRoutes routes = massive_routes(*model.osim, poses);
    model.warnings.insert(model.warnings.end(), routes.warnings.begin(), routes.warnings.end());
    return {model.skeleton, std::move(routes.muscles), std::move(routes.reference)};
  }
  UnweighedModel out;
  std::vector<Muscle> muscles = model.muscles;
  if (model.mass_origin) {
    out.bones = model.mass_origin->bones;
    muscles = model.mass_origin->muscles;
  } else {
    MassOnBones lumped = put_mass_on_bones(model.skeleton, muscles);
    out.bones = std::move(lumped.skeleton);
  }
  const MuscleList& elements = model.scene->system.muscles();
  for (size_t k = 0; k < muscles.size(); ++k) {
    out.muscles.push_back({with_mass(muscles[k], 0), {}});
    if (const auto& hill = elements[k]->muscle().hill) out.muscles.back().hill = hill->muscle;
  }
  return out;
}

std::vector<VecX> poses_of(const Motion& motion) {
  std::vector<VecX> out;
  for (const MotionSample& sample : motion) out.push_back(sample.q);
  return out;
}

void weigh_muscles(const MuscleMassOptions& options, const Motion& motion, LoadedModel& model) {
  if (!options.says()) {
    require_no_more(options);
    return;
  }
  UnweighedModel bare = unweighed(model, poses_of(motion));
  model.skeleton = bare.bones;
  model.muscles.clear();
  model.muscle_mass.reset();
  if (options.off() || bare.muscles.empty()) {
    if (model.scene)
      for (WeighedMuscle& m : bare.muscles) model.muscles.push_back(std::move(m.muscle));
    if (bare.muscles.empty()) model.warnings.push_back("the model has no muscles to give mass to");
    return;
  }
  MuscleMassRecord record = move_muscle_mass(options, bare.bones, bare.muscles, bare.reference);
  model.skeleton = record.transfer.skeleton;
  model.muscles = record.transfer.muscles;
  model.muscle_mass = std::make_shared<const MuscleMassRecord>(std::move(record));
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
