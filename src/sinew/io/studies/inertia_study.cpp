#include "sinew/io/studies/inertia_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/muscles/transfer/mass_on_bones.hpp"

namespace sinew {
namespace {

// A spline that ends freely has wrong accelerations there. The error falls to 0.43 of itself from
// row to row; with a filter it reaches about half a period of the cut-off.
constexpr int kEndRows = 6;
constexpr double kEndPeriods = 0.5;
// Motions shorter than this many rows without their ends keep them.
constexpr size_t kFewestRows = 12;

// A motion is noisy if its filter changes a moment by this part (rms). Moments below the other part
// of the largest do not count.
constexpr double kNoise = 0.1, kSmallNorm = 0.05;

// The range of muscle masses: persons differ, and strengths say less about them.
constexpr double kLeastMass = 0.8, kMostMass = 1.2;
constexpr double kLeastTension = 0.25e6;  // [Pa]
// The range of the free tendon.
constexpr double kShortTendon = 0.2, kLongTendon = 0.6;

constexpr const char* kNoLoads =
    "no forces of the ground are given (--loads): while a foot is down, moments lack their part";

/// The model with all mass on the bones, and the transfer of mass.
struct MassQuestion {
  BonesModel bones;
  MassPolicy policy;
  std::optional<MuscleMasses> by_rule;
};

/// What the muscles of a model could weigh, where options say it; none: scenes say it themselves.
std::optional<UnweighedModel> unweighed_for(LoadedModel& model, const Motion& motion,
                                            const MuscleMassOptions& options) {
  if (!model.osim && !options.says()) return std::nullopt;
  return unweighed(model, poses_of(motion));
}

MassQuestion ask(const LoadedModel& model, const std::optional<UnweighedModel>& bare,
                 const MuscleMassOptions& options, const ForceList& loads) {
  MassQuestion out{
      {model.skeleton, model.gravity, model.forces, model.muscles}, MomentsPolicy{}, {}};
  out.bones.coupled = model.target.coupled;
  out.bones.forces.insert(out.bones.forces.end(), loads.begin(), loads.end());
  if (bare && !bare->muscles.empty()) {
    MassPlan plan = plan_muscle_mass(options, bare->bones, bare->muscles);
    out.bones.skeleton = bare->bones;
    out.bones.muscles = std::move(plan.muscles);
    out.bones.reference = bare->reference;
    out.policy = std::move(plan.policy);
    out.by_rule = std::move(plan.by_rule);
  } else if (!bare) {
    if (model.mass_origin) {
      out.bones.skeleton = model.mass_origin->bones;
      out.bones.muscles = model.mass_origin->muscles;
      out.policy = model.mass_origin->policy;
    } else {  // the scene adds its muscles to the bones
      out.bones.skeleton = put_mass_on_bones(model.skeleton, model.muscles).skeleton;
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

/// Whether the change of the moments is not proportional to the masses: bodies give what they can.
bool saturates(const MassQuestion& mass) {
  return std::holds_alternative<BonesPolicy>(mass.policy);
}

/// With a factor on the masses, as far as bodies can give them.
MatX with_factor(const MassQuestion& mass, double factor, const InertiaComparison& base,
                 const Motion& motion) {
  if (!saturates(mass)) return base.bones + factor * (base.muscles - base.bones);
  BonesPolicy policy = std::get<BonesPolicy>(mass.policy);
  policy.share *= factor;
  policy.strict = false;
  return moments_with_muscles(mass.bones, policy, motion);
}

/// The muscles with other bellies, where a rule says them.
UnweighedModel with_bellies(UnweighedModel bare, double free_tendon) {
  for (WeighedMuscle& m : bare.muscles)
    if (m.path_length > 0) m.muscle.material = belly_of(*m.hill, m.path_length, free_tendon);
  return bare;
}

/// How many times heavier muscles may be.
double most_mass(const std::optional<MuscleMasses>& by_rule) {
  if (!by_rule || by_rule->source != MassBy::strength) return kMostMass;
  return std::max(kMostMass, by_rule->specific_tension / kLeastTension);
}

void add_assumptions(const std::vector<MassQuestion>& placements, double most, InertiaStudy& out) {
  for (const MassQuestion& placement : placements)
    for (const double factor : {kLeastMass, most})
      out.uncertainty.assumptions.push_back(
          with_factor(placement, factor, out.comparison, out.reading.motion));
  out.range = fmt::format("{:.2g} to {:.2g} times the masses", kLeastMass, most);
  if (placements.size() > 1)
    out.range += fmt::format(
        "; free tendons of {:.1f} to {:.1f} times the tendon's length where no table has the belly",
        kShortTendon, kLongTendon);
}

Motion between(const Motion& motion, double from, double to) {
  Motion out;
  for (const MotionSample& sample : motion)
    if (sample.t >= from && sample.t <= to) out.push_back(sample);
  return out;
}

/// Leaves out the rows whose accelerations are those of the spline's ends.
void leave_out_ends(const MotionOptions& smoothing, MotionReading& reading,
                    std::vector<std::string>& doubts) {
  double margin = kEndRows * reading.row_step;
  if (smoothing.cutoff > 0) margin = std::max(margin, kEndPeriods / smoothing.cutoff);
  const double hair = 1e-3 * reading.row_step;
  Motion inner =
      between(reading.motion, reading.first_row + margin - hair, reading.last_row - margin + hair);
  const size_t left_out = reading.motion.size() - inner.size();
  if (left_out == 0) return;
  if (inner.size() < kFewestRows) {
    doubts.push_back(fmt::format(
        "the motion is short: accelerations in the {:.3g} s at either end are not reliable, but "
        "all rows count",
        margin));
    return;
  }
  reading.motion = std::move(inner);
  doubts.push_back(fmt::format(
      "{} rows within {:.3g} s of the ends of the motion are left out: their accelerations are not "
      "reliable",
      left_out, margin));
}

/// The motion at the same times, filtered.
Motion filtered(const InertiaQuestion& question, const MotionTarget& target, double cutoff,
                const Motion& motion) {
  MotionOptions smoothing = question.smoothing;
  smoothing.cutoff = cutoff;
  const double hair = 1e-6;
  return between(read_motion(question.motion, target, smoothing).motion, motion.front().t - hair,
                 motion.back().t + hair);
}

void doubt_sample_rate(InertiaStudy& out) {
  const double rate = 1 / out.reading.row_step;
  if (rate < 2 * kHighCutoff)
    out.doubts.push_back(
        fmt::format("the motion has {:.3g} rows a second: nothing faster than {:.3g} Hz is in it",
                    rate, 0.5 * rate));
}

/// Whether the motion is noisy; says so if it is.
bool doubt_noise(InertiaStudy& out) {
  const MatX& bones = out.comparison.bones;
  const MatX& smooth = out.uncertainty.high_cutoff;
  if (smooth.cols() != bones.cols()) return true;
  const VecX norms = bones.rowwise().norm();
  Eigen::Index worst = -1;
  double most = kNoise;
  for (Eigen::Index k = 0; k < bones.rows(); ++k) {
    if (norms[k] <= kSmallNorm * norms.maxCoeff()) continue;
    const double part = (bones.row(k) - smooth.row(k)).norm() / norms[k];
    if (part <= most) continue;
    most = part;
    worst = k;
  }
  if (worst < 0) return false;
  out.doubts.push_back(fmt::format(
      "the motion seems not to be filtered: a cut-off of {:.0f} Hz changes the moment "
      "of '{}' by {:.0f} % (rms); add --cutoff",
      kHighCutoff, out.model.target.coordinates[static_cast<size_t>(worst)].name, 100 * most));
  return true;
}

/// Spikes of the path: in a motion that is smooth itself.
void doubt_paths(const MassQuestion& mass, const Motion& smooth, const MatX& bones,
                 const MatX& muscles, InertiaStudy& out) {
  const Skeleton& skeleton = mass.bones.skeleton;
  for (const MomentSpike& spike : find_spikes(bones, muscles)) {
    const Coordinate& coordinate = skeleton.coordinates()[static_cast<size_t>(spike.coordinate)];
    if (is_free(skeleton.body(coordinate.body))) continue;
    const auto at = smooth.begin() + spike.sample;
    const InertiaComparison around =
        compare_inertia(mass.bones, mass.policy, Motion(at - 1, at + 2));
    size_t most = 0;
    double largest = 0;
    for (size_t m = 0; m < around.of_muscle.size(); ++m) {
      const auto f = around.of_muscle[m].row(spike.coordinate);
      const double size = std::abs(f[1] - 0.5 * (f[0] + f[2]));
      if (size <= largest) continue;
      largest = size;
      most = m;
    }
    out.doubts.push_back(fmt::format(
        "the change of the moment of '{}' jumps by {:.3g} {} at t = {:.6g} s, because of '{}'; "
        "look "
        "at its path there",
        coordinate.name, spike.size, coordinate.kind == CoordinateKind::length ? "N" : "N m", at->t,
        mass.bones.muscles[most].name));
  }
}

/// The moments in a motion near the one that the paths are laid out for, if they exist there.
std::optional<MatX> moments_nearby(const MassQuestion& mass, const Motion& motion) {
  try {
    return moments_with_muscles(mass.bones, mass.policy, motion);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_doubts(const InertiaQuestion& question, const MassQuestion& mass, const Motion& smooth,
                InertiaStudy& out) {
  doubt_sample_rate(out);
  if (question.loads.empty() && std::ranges::any_of(mass.bones.skeleton.bodies(), is_free))
    out.doubts.push_back(kNoLoads);
  if (question.smoothing.cutoff > 0 || !doubt_noise(out)) {
    doubt_paths(mass, out.reading.motion, out.comparison.bones, out.comparison.muscles, out);
  } else if (const auto muscles = moments_nearby(mass, smooth)) {
    doubt_paths(mass, smooth, out.uncertainty.low_cutoff, *muscles, out);
  }
}

ForceList read_loads(const InertiaQuestion& question, const Skeleton& skeleton,
                     std::vector<std::string>& warnings) {
  if (question.loads.empty()) return {};
  const ExternalLoads loads = read_external_loads(question.loads);
  warnings = loads.warnings;
  return external_forces(loads, skeleton);
}

}  // namespace

InertiaStudy study_inertia(const InertiaQuestion& question) {
  if (question.mass.off())
    throw Error("--muscle-mass off", "leaves nothing to compare", "write volumes or strength");
  InertiaStudy out{
      load_motion_model(question.model, question.set), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  LoadedModel& model = out.model;
  out.reading = read_motion(question.motion, model.target, question.smoothing);
  leave_out_ends(question.smoothing, out.reading, out.doubts);
  const Motion& motion = out.reading.motion;
  const ForceList forces = read_loads(question, model.skeleton, out.load_warnings);
  const std::optional<UnweighedModel> bare = unweighed_for(model, motion, question.mass);
  MassQuestion mass = ask(model, bare, question.mass, forces);
  out.comparison = compare_inertia(mass.bones, mass.policy, motion);
  out.bones = mass.bones;
  MuscleMassOptions options = question.mass;
  for (const double share : question.more_shares) {
    options.share = share;
    const MassQuestion other = ask(model, bare, options, forces);
    out.more_shares.push_back({share, moments_with_muscles(other.bones, other.policy, motion)});
  }
  std::vector<MassQuestion> placements = {mass};
  if (model.osim && saturates(mass)) {
    placements.clear();
    for (const double free_tendon : {kShortTendon, kLongTendon})
      placements.push_back(ask(model, with_bellies(*bare, free_tendon), question.mass, forces));
  }
  add_assumptions(placements, most_mass(mass.by_rule), out);
  const Motion smooth = filtered(question, model.target, kLowCutoff, motion);
  out.uncertainty.low_cutoff = moments_with_bones(mass.bones, smooth);
  out.uncertainty.high_cutoff =
      moments_with_bones(mass.bones, filtered(question, model.target, kHighCutoff, motion));
  out.uncertainty.inertia = error_of_inertias(out.bones, motion, kInertiaError);
  add_doubts(question, mass, smooth, out);
  out.by_rule = std::move(mass.by_rule);
  return out;
}

}  // namespace sinew
