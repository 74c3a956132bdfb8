#include "sinew/analysis/muscle_state.hpp"

#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {

// SystemBuilder puts the muscles first among the parts.
MuscleScratch& muscle_scratch(Workspace& ws) { return static_cast<MuscleScratch&>(*ws.parts[0]); }

int hill_index(const System& system, size_t muscle) {
  return system.muscle_part()->hill_index(muscle);
}

Eigen::Index activation_index(const System& system, size_t hill) {
  return system.place(0).internal + system.muscle_part()->activation_index(hill);
}

Eigen::Index fibre_index(const System& system, size_t hill) {
  return system.place(0).internal + system.muscle_part()->fibre_index(hill);
}

std::vector<HillStatus> initialize_muscles(const System& system, State& state, Workspace& ws) {
  if (system.hill_muscles().empty()) return {};
  const Muscles& muscles = *system.muscle_part();
  state.z.setZero(system.internal_count());
  for (size_t k = 0; k < system.parts().size(); ++k)
    system.parts()[k]->describe_internal(
        state.z.segment(system.place(k).internal, system.parts()[k]->internal_count()));
  update_kinematics(system, state, ws);
  return muscles.equilibrate(
      part_at(system, 0, state, ws.border->expanded(state), controls_at(system, state, ws), ws),
      Settling::as_opensim, muscle_scratch(ws),
      state.z.segment(system.place(0).internal, muscles.internal_count()));
}

std::vector<HillValues<double>> hill_values(const System& system, const State& state,
                                            Workspace& ws) {
  std::vector<HillValues<double>> out;
  if (system.hill_muscles().empty()) return out;
  const ExpandedState x = expand(system, state, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), state.t, x.q, x.qdot, ws.skeleton};
  MuscleScratch& scratch = muscle_scratch(ws);
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const MuscleElement& element = *system.muscles()[system.hill_muscles()[i]];
    const PathState path = element.measure(in, scratch.path);
    out.push_back(evaluate_hill(element.muscle().hill->muscle, state.z[activation_index(system, i)],
                                path.length, path.rate, state.z[fibre_index(system, i)]));
  }
  return out;
}

}  // namespace sinew
