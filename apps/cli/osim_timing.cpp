#include "osim_timing.hpp"

#include <random>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/system/hill_equations.hpp"

namespace sinew::cli {
namespace {

constexpr int kPoses = 16;
constexpr double kSpecificTension = 0.25e6;  // [Pa], as compare-inertia has it

/// A random pose, halfway from the default one to a place within the ranges; share 0: the default.
OsimRun random_run(const OsimModel& model, double share, std::mt19937_64& generator) {
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
  OsimRun out;
  for (const OsimCoordinate& c : model.coordinates) {
    const bool length = c.kind == CoordinateKind::length;
    const double widest = length ? 1 : 20;  // a wider range is none that a joint has
    const bool given = c.upper > c.lower && c.upper - c.lower < widest;
    const double lower = given ? c.lower : c.default_value - (length ? 0.05 : 0.5);
    const double upper = given ? c.upper : c.default_value + (length ? 0.05 : 0.5);
    const double value = lower + uniform() * (upper - lower), speed = 2 * uniform() - 1;
    if (c.locked) continue;
    out.values[c.name] = c.default_value + share * (value - c.default_value);
    out.speeds[c.name] = length ? 0.1 * speed : speed;
  }
  return out;
}

}  // namespace

struct OsimTiming::Build {
  System system;
  double moved = 0;
  std::vector<State> states;
};

OsimTiming::Build OsimTiming::build(const OsimModel& model, bool massive) {
  std::mt19937_64 generator(1);
  std::vector<State> states;
  std::vector<VecX> poses;
  for (int k = 0; k < kPoses; ++k) {
    const OsimRun run = random_run(model, k == 0 ? 0 : 0.5, generator);
    try {
      states.push_back(model.system_builder(run).build().default_state());
      poses.push_back(states.back().q);
    } catch (const Error&) {  // constraints that no pose near this one satisfies
      if (k == 0) throw;
    }
  }
  if (!massive) return {model.system_builder().build(), 0, std::move(states)};
  const OsimMasses masses = massive_muscles(model.paths, model.skeleton, poses, kSpecificTension);
  const MassiveOsim out = massive_system_builder(model, {}, masses);
  return {out.builder.build(), out.moved, std::move(states)};
}

OsimTiming::OsimTiming(const OsimModel& model, bool massive) : OsimTiming(build(model, massive)) {}

OsimTiming::OsimTiming(Build&& build)
    : system_(std::move(build.system)),
      moved_(build.moved),
      states_(std::move(build.states)),
      ws_(system_),
      qddot_(system_.dof_count()) {}

double OsimTiming::accelerations() {
  double sum = 0;
  for (const State& state : states_) {
    hold_muscles(system_, state, ws_);
    forward_dynamics(system_, state.t, state.q, state.qdot, ws_, qddot_);
    sum += qddot_.sum();
  }
  return sum;
}

double OsimTiming::rates() {
  double sum = 0;
  for (const State& state : states_) {
    hold_muscles(system_, state, ws_);
    forward_dynamics(system_, state.t, state.q, state.qdot, ws_, qddot_);
    sum += qddot_.sum();
    const HillList& muscles = system_.hill_muscles();
    for (size_t i = 0; i < muscles.size(); ++i) {
      const HillDescription& d = muscles[i]->description;
      const auto k = static_cast<Eigen::Index>(i);
      sum += evaluate_hill(d.muscle, state.activation[k], ws_.hill->length[k], ws_.hill->rate[k],
                           state.fibre_length[k])
                 .fibre_velocity;
      sum += activation_rate(d.activation, state.activation[k],
                             excitation_at(system_, d, state, state.t))
                 .rate;
    }
  }
  return sum;
}

}  // namespace sinew::cli
