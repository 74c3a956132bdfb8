// Loads a scene, simulates it with the file's settings, and lets the audit judge the run.
//
// Usage: 02_load_scene [SCENE.json]
#include <cstdio>
#include <sinew/sinew.hpp>

int main(int argc, char** argv) {
  const sinew::Scene scene = sinew::load_scene(argc > 1 ? argv[1] : "scenes/double-pendulum.json");
  const sinew::System& system = scene.system;
  const sinew::StepOptions& options = scene.settings.step;
  std::printf("%s: %s\n", scene.name.c_str(), scene.title.c_str());

  sinew::State state = sinew::initial_state(system, options);
  sinew::Workspace ws(system);

  // The audit sees every step: it adds up energy and work, and looks at residuals.
  sinew::Audit audit(system, options, state, ws, scene.settings.accepted_energy_gain);
  sinew::SimulationObserver observer;
  observer.on_step = [&](const sinew::State& now, const sinew::StepReport& report) {
    audit.add_step(now, report, ws);
  };

  const sinew::SimulationResult result =
      sinew::simulate(system, scene.settings, state, ws, observer);
  if (result.end != sinew::SimulationEnd::finished) {
    audit.add_failure();
    std::printf("%s\n", sinew::describe_failure(system, result, state).c_str());
  }

  std::printf("%lld steps of %s to t = %g s\n", result.steps,
              sinew::to_string(options.integrator).c_str(), state.t);
  for (size_t i = 0; i < system.coordinates().size(); ++i)
    std::printf("  %s = %.6f\n", system.coordinates()[i].name.c_str(),
                state.q[static_cast<Eigen::Index>(i)]);

  const sinew::AuditReport report = audit.report();
  std::printf("energy error: %.1e of the largest kinetic energy\n", report.energy_error);
  std::printf("audit: %s\n", report.verdict.c_str());
  return report.passed ? 0 : 1;
}
