#include "sinew/io/osim/osim_timing.hpp"

#include "sinew/io/osim/massive_muscles.hpp"
#include "sinew/io/osim/osim_samples.hpp"

namespace sinew {

struct OsimTiming::Build {
  System system;
  double moved = 0;
  std::vector<State> states;
};

OsimTiming::Build OsimTiming::build(const OsimModel& model, const MuscleMassOptions& mass) {
  std::vector<State> states = sample_states(model);
  if (mass.off()) return {model.system_builder().build(), 0, std::move(states)};
  const OsimRoutes routes = massive_routes(model, poses_of(states));
  const MassTransfer transfer =
      move_muscle_mass(mass, model.skeleton, routes.muscles, routes.reference).transfer;
  return {model.system_builder({}, transfer).build(), transfer.moved(), std::move(states)};
}

OsimTiming::OsimTiming(const OsimModel& model, const MuscleMassOptions& mass)
    : OsimTiming(build(model, mass)) {}

OsimTiming::OsimTiming(Build&& build)
    : system_(std::move(build.system)),
      moved_(build.moved),
      states_(std::move(build.states)),
      ws_(system_),
      qddot_(system_.dof_count()),
      zdot_(system_.internal_count()) {}

double OsimTiming::accelerations() {
  double sum = 0;
  for (const State& state : states_) {
    forward_dynamics(system_, state, ws_, qddot_);
    sum += qddot_.sum();
  }
  return sum;
}

double OsimTiming::rates() {
  double sum = 0;
  for (const State& state : states_) {
    forward_dynamics(system_, state, ws_, qddot_);
    sum += qddot_.sum();
    internal_rates(system_, state, ws_, zdot_);
    sum += zdot_.sum();
  }
  return sum;
}

}  // namespace sinew
