#include "sinew/io/studies/inertia_study.hpp"

#include "sinew/core/error.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/external_loads.hpp"

namespace sinew {
namespace {

/// The model with all mass on the bones, and the transfer of mass.
struct MassQuestion {
  BonesModel bones;
  MassPolicy policy;
};

/// Scenes say what their muscles weigh, unless the options do.
MassQuestion read_question(LoadedModel& model, const Motion& motion,
                           const MuscleMassOptions& options, std::optional<MuscleMasses>& by_rule) {
  MassQuestion out{{model.skeleton, model.gravity, model.forces, model.muscles}, MomentsPolicy{}};
  if (model.osim || options.says()) {
    std::vector<VecX> poses;
    for (const MotionSample& sample : motion) poses.push_back(sample.q);
    UnweighedModel bare = unweighed(model, poses);
    if (!bare.muscles.empty()) {
      MassPlan plan = plan_muscle_mass(options, bare.bones, bare.muscles);
      out.bones.skeleton = std::move(bare.bones);
      out.bones.muscles = std::move(plan.muscles);
      out.bones.reference = std::move(bare.reference);
      out.policy = std::move(plan.policy);
      by_rule = std::move(plan.by_rule);
    }
  } else {
    if (model.mass_origin) {
      out.bones.skeleton = model.mass_origin->bones;
      out.bones.muscles = model.mass_origin->muscles;
      out.policy = model.mass_origin->policy;
    }
    MuscleMassOptions more = options;
    more.share.reset();
    require_no_more(more);
    if (options.share) out.policy = MomentsPolicy{*options.share, {}};
  }
  if (out.bones.muscles.empty())
    throw Error(model.model_name, "has no muscles", "there is nothing to compare");
  return out;
}

}  // namespace

InertiaStudy study_inertia(const InertiaQuestion& question) {
  if (question.mass.off())
    throw Error("--muscle-mass off", "leaves nothing to compare", "write volumes or strength");
  InertiaStudy out{load_motion_model(question.model, question.set), {}, {}, {}, {}, {}};
  LoadedModel& model = out.model;
  out.reading = read_motion(question.motion, model.target, question.smoothing);
  MassQuestion mass = read_question(model, out.reading.motion, question.mass, out.by_rule);
  if (!question.loads.empty()) {
    const ExternalLoads loads = read_external_loads(question.loads);
    out.load_warnings = loads.warnings;
    for (const auto& force : external_forces(loads, mass.bones.skeleton))
      mass.bones.forces.push_back(force);
  }
  out.comparison = compare_inertia(mass.bones, mass.policy, out.reading.motion);
  out.bones = std::move(mass.bones);
  return out;
}

}  // namespace sinew
