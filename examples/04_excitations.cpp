// Drives muscles in two ways: by functions of time, and by numbers that are set before each step.
//
// A knee with six Hill muscles is bent. Exciting rectus femoris extends it.
#include <cmath>
#include <cstdio>
#include <sinew/sinew.hpp>

namespace {

constexpr double kOn = 0.1, kOff = 0.3, kEnd = 0.4;  // [s]
constexpr double kStrong = 0.5, kWeak = 0.02;        // excitations

/// The knee's angle at the end, with every excitation given as a function of time.
double by_schedule(const sinew::Scene& scene, double strong) {
  // A copy of the scene's drive; one muscle gets another function.
  sinew::ControlSchedule controls = scene.system.controls();
  controls.set(controls.find("rectus_femoris"),
               sinew::TimeFunction::Table({0, kOn, kOff}, {kWeak, strong, kWeak},
                                          sinew::TimeFunction::Interpolation::step, "excitation"));
  sinew::SimulationSettings settings = scene.settings;
  settings.until = kEnd;
  sinew::State state = scene.system.default_state();
  sinew::Workspace ws(scene.system);
  sinew::simulate(scene.system, settings, controls, state, ws);
  return state.q[0];
}

/// The same with a number that is set before each step, as a slider or a game would.
double by_hand(const sinew::Scene& scene) {
  sinew::ControlSchedule controls = scene.system.controls();
  const int rectus = controls.find("rectus_femoris");
  const double h = scene.settings.dt;
  sinew::State state = scene.system.default_state();
  sinew::Workspace ws(scene.system);
  while (state.t < kEnd - h / 2) {
    const double middle = state.t + h / 2;
    controls.set(rectus, middle > kOn && middle < kOff ? kStrong : kWeak);
    sinew::step(scene.system, scene.settings.step, h, controls, state, ws);
  }
  return state.q[0];
}

}  // namespace

int main() {
  const sinew::Scene scene = sinew::load_scene("scenes/knee-revolute.json");
  std::printf("inputs of the scene:");
  for (const auto& entry : scene.system.controls().entries())
    std::printf(" %s", entry.control.name.c_str());

  const double rest = by_schedule(scene, kWeak);
  const double schedule = by_schedule(scene, kStrong);
  const double hand = by_hand(scene);
  std::printf("\nknee angle after %.1f s, muscle at rest: %.3f rad\n", kEnd, rest);
  std::printf("excited by a function of time:        %.3f rad\n", schedule);
  std::printf("excited by numbers set in each step:  %.3f rad\n", hand);

  // The two differ only in how a step sees the jump at its end.
  const bool right = schedule > rest + 0.2 && std::abs(schedule - hand) < 2e-3;
  std::printf("%s\n", right ? "the excited muscle extends the knee" : "something is wrong");
  return right ? 0 : 1;
}
