#include "integrators.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sinew/io/scene/scene.hpp"

namespace bench {
namespace {

using sinew::Integrator;

struct Run {
  const sinew::Scene& scene;
  sinew::StepOptions options;
  sinew::Workspace ws;
  sinew::State state;

  Run(const sinew::Scene& s, Integrator integrator)
      : scene(s), options(s.settings.step), ws(s.system), state(s.system.default_state()) {
    options.integrator = integrator;
  }

  int steps() const {
    return static_cast<int>(std::lround(scene.settings.until / scene.settings.dt));
  }
  void step() { sinew::step(scene.system, options, scene.settings.dt, state, ws); }
  void restart() { state = scene.system.default_state(); }
};

/// Largest |E − E₀| over the most the pendulum can lose, E₀ minus the energy of hanging still.
double energy_error(Run& run) {
  const sinew::System& system = run.scene.system;
  const auto total = [&run, &system](const sinew::State& state) {
    return sinew::energy(system, state, run.ws).total();
  };
  sinew::State lowest = system.default_state();
  lowest.q.setZero();
  lowest.qdot.setZero();
  run.restart();
  const double start = total(run.state);
  double largest = 0;
  for (int i = 0; i < run.steps(); ++i) {
    run.step();
    largest = std::max(largest, std::abs(total(run.state) - start));
  }
  return largest / (start - total(lowest));
}

}  // namespace

void register_integrators() {
  static const sinew::Scene scene = sinew::load_scene(BENCH_SCENES "/double-pendulum.json");
  for (const Integrator integrator : sinew::all_integrators()) {
    if (integrator == Integrator::dopri5) continue;  // chooses its own step
    const auto run = std::make_shared<Run>(scene, integrator);
    const std::string name = sinew::to_string(integrator);
    benchmark::AddCustomContext("energy/" + name, fmt::format("{:.1e}", energy_error(*run)));
    benchmark::RegisterBenchmark(fmt::format("run/double-pendulum/{}", name).c_str(),
                                 [run](benchmark::State& state) {
                                   while (state.KeepRunningBatch(run->steps())) {
                                     run->restart();
                                     for (int i = 0; i < run->steps(); ++i) run->step();
                                   }
                                 })
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace bench
