// Gradients of runs, over the run alone; and the matrices A and B of a step, over MuJoCo's. See
// README.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/tasks/task_problem.hpp"
#include "sinew_tree.hpp"
#ifdef BENCH_MUJOCO
#include "mujoco_transition.hpp"
#endif

namespace {

using namespace sinew;

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The fastest of each, timed in turn so that a slow phase of the machine affects all [s].
std::vector<double> fastest(const std::vector<std::function<void()>>& calls, int turns,
                            double least) {
  std::vector<double> out(calls.size(), 1e300);
  std::vector<int> batch;
  for (const auto& call : calls) {
    const double start = cpu_seconds();
    call();
    batch.push_back(std::max(1, static_cast<int>(least / (cpu_seconds() - start))));
  }
  for (int turn = 0; turn < turns; ++turn)
    for (size_t k = 0; k < calls.size(); ++k) {
      const double start = cpu_seconds();
      for (int i = 0; i < batch[k]; ++i) calls[k]();
      out[k] = std::min(out[k], (cpu_seconds() - start) / batch[k]);
    }
  return out;
}

ForceList motors(const std::vector<int>& dofs) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  ForceList out;
  for (const int dof : dofs)
    out.push_back(std::make_shared<CoordinateDrive>("motor" + std::to_string(dof), DofIndex(dof),
                                                    1.0, 0.0, CoordinateDrive::Range{-kFar, kFar}));
  return out;
}

RunSettings settings(Integrator integrator, double dt, int steps) {
  RunSettings out;
  out.step = differentiable_options({.integrator = integrator});
  out.dt = dt;
  out.steps = steps;
  return out;
}

/// The scene `arm`, 2500 steps of 0.2 ms, torques at all four coordinates.
void measure_runs() {
  const LoadedModel model = load_model(BENCH_SOURCE_DIR "/scenes/arm.json");
  SystemEdit edit;
  edit.forces = motors({0, 1, 2, 3});
  const System system = model.build(edit);
  const CoordinateTarget objective(3, CoordinateTarget::Of::value, 1.0, 1.0, Moments::steps());
  RunSettings run = settings(Integrator::bdf2, 2e-4, 2500);
  fmt::print("\n`arm`, {} steps of bdf2, over the run alone\n\n", run.steps);
  fmt::print("| torques | gradient | with checkpoints | 100 sensitivities |\n|---|---|---|---|\n");
  for (const int count : {4, 100, 10000}) {
    RunParameters parameters(system, exact_start(system));
    std::vector<double> knots;
    for (int k = 0; k < count / 4; ++k) knots.push_back(k * run.dt * run.steps / (count / 4));
    for (int k = 0; k < 4; ++k)
      parameters.add_control(system.controls().size() - 4 + k, knots,
                             RunParameters::Interpolation::linear, 1.0);
    VecX p(parameters.size());
    // The same torques, however many numbers they are.
    for (Eigen::Index k = 0; k < p.size(); ++k)
      p[k] = 0.3 * std::sin(static_cast<double>(k * 4 / p.size()));
    parameters.set(p);
    RunDerivatives taped(system, run);
    RunSettings with_checkpoints = run;
    with_checkpoints.checkpoints = true;
    RunDerivatives checked(system, with_checkpoints);
    ValueAndGradient at;
    std::vector<std::function<void()>> calls = {
        [&] {
          State state = parameters.start();
          Workspace ws(system);
          for (int k = 0; k < run.steps; ++k)
            step(system, run.step, run.dt, parameters.controls(), state, ws);
        },
        [&] { differentiate(taped, parameters, objective, p, at); },
        [&] { differentiate(checked, parameters, objective, p, at); }};
    if (count == 100)
      calls.push_back([&] {
        run_at(taped, parameters, objective, p);
        taped.sensitivities(
            parameters.start_directions(),
            [&](double t, MatX& columns) { parameters.push_forward_controls(t, columns); },
            [](int, const State&, const MatX&) {});
      });
    const std::vector<double> best = fastest(calls, 2, 0);
    fmt::print("| {} | {:.2f} | {:.2f} | {} |\n", count, best[1] / best[0], best[2] / best[0],
               count == 100 ? fmt::format("{:.1f}", best[3] / best[0]) : "");
  }
}

/// Tasks, by all their parameters.
void measure_tasks() {
  fmt::print("\nTasks, over the run alone\n\n| task | parameters | gradient |\n|---|---|---|\n");
  for (const char* name : {"reach", "reach-excited", "hop", "track-swing"}) {
    TaskProblem problem(load_task(fmt::format("{}/tasks/{}.json", BENCH_SOURCE_DIR, name)));
    const VecX p = problem.start();
    const RunSettings& run = problem.settings();
    RunParameters& parameters = problem.run_parameters();
    parameters.set(p);
    ValueAndGradient at;
    const std::vector<double> best =
        fastest({[&] {
                   State state = parameters.start();
                   Workspace ws(problem.system());
                   for (int k = 0; k < run.steps; ++k)
                     step(problem.system(), run.step, run.dt, parameters.controls(), state, ws);
                 },
                 [&] { problem.evaluate(p, at); }},
                10, 0);
    fmt::print("| {} | {} | {:.2f} |\n", name, p.size(), best[1] / best[0]);
  }
}

/// A step from rest, and its matrices.
void measure_transitions() {
  fmt::print("A and B of a step of 2 ms, the step included, motors in revolute joints [µs]\n\n");
  fmt::print("| tree | bdf1 | MuJoCo, centred differences | ratio |\n|---|---|---|---|\n");
  for (const bench::TreeSpec& tree : {bench::chain(10), bench::human()}) {
    const System bare = bench::sinew_system(tree, {});
    std::vector<int> dofs;
    for (size_t k = 0; k < tree.bodies.size(); ++k)
      if (tree.bodies[k].joint == bench::JointType::revolute)
        dofs.push_back(bare.skeleton().body(BodyIndex(static_cast<int>(k))).first_dof);
    const System system = bench::sinew_system(tree, motors(dofs));
    RunDerivatives run(system, settings(Integrator::bdf1, 2e-3, 1));
    const State start = system.default_state();
    RunDerivatives::Transition out;
    std::vector<std::function<void()>> calls = {
        [&] { run.transition(system.controls(), start, out); }};
#ifdef BENCH_MUJOCO
    bench::MujocoTransition peer(tree, 2e-3);
    calls.push_back([&] { peer.run(); });
#endif
    const std::vector<double> best = fastest(calls, 20, 5e-3);
    if (best.size() > 1)
      fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} |\n", tree.name, 1e6 * best[0], 1e6 * best[1],
                 best[0] / best[1]);
    else
      fmt::print("| {} | {:.1f} | not installed | |\n", tree.name, 1e6 * best[0]);
  }
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  measure_transitions();
  measure_runs();
  measure_tasks();
  return 0;
}
