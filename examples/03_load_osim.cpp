// Loads an OpenSim model and prints its muscles: length, tension, moment arms at knee and ankle.
//
// Usage: 03_load_osim [MODEL.osim], for models with coordinates knee_angle_r and ankle_angle_r
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sinew/sinew.hpp>

int main(int argc, char** argv) {
  const sinew::OsimModel model = sinew::load_osim(argc > 1 ? argv[1] : "models/leg/leg.osim");
  for (const std::string& warning : model.warnings) std::printf("warning: %s\n", warning.c_str());

  // The builder holds all of the model; forces or constraints of your own could be added here.
  const sinew::System system = model.system_builder().build();
  const int knee = system.skeleton().find_coordinate("knee_angle_r");
  const int ankle = system.skeleton().find_coordinate("ankle_angle_r");
  std::printf("%s: %d bodies, %d coordinates, %zu muscles\n", model.name.c_str(),
              system.skeleton().body_count(), system.dof_count(), system.muscles().size());

  sinew::State state = system.default_state();
  state.q[knee] = -0.5;  // bent by half a radian
  sinew::Workspace ws(system);
  sinew::initialize_muscles(system, state, ws);  // fibres in equilibrium in this pose

  std::vector<sinew::MusclePath> paths, bent;
  sinew::update_muscle_paths(system, state, ws, paths);
  const std::vector<sinew::HillValues<double>> hill = sinew::hill_values(system, state, ws);

  // A moment arm is the length that the muscle loses per radian: check it by bending the knee a
  // little more.
  constexpr double kBend = 1e-6;
  state.q[knee] += kBend;
  sinew::update_muscle_paths(system, state, ws, bent);

  std::printf("%-12s %10s %12s %14s %15s\n", "muscle", "length [m]", "tension [N]", "knee arm [mm]",
              "ankle arm [mm]");
  double worst = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const double arm = paths[i].moment_arms[knee];
    std::printf("%-12s %10.4f %12.1f %14.2f %15.2f\n", system.muscles()[i]->name().c_str(),
                paths[i].length, hill[i].actuation, 0 + 1e3 * arm,
                0 + 1e3 * paths[i].moment_arms[ankle]);  // 0 + prints −0 as 0
    worst = std::max(worst, std::abs(arm + (bent[i].length - paths[i].length) / kBend));
  }
  // Differences of lengths have an error of about the bend times half a metre per rad².
  const bool right = worst < 1e-6;
  std::printf("moment arms are %s: the lengths change as they say\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
