#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/system/projection.hpp"
#include "support/source_dir.hpp"

/// Laws for every scene with constraints when its steps project to them.

namespace sinew::test {

/// The scenes that come with the program and have constraints.
inline std::vector<Scene> constrained_scenes() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source_dir()) / "scenes"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Scene> scenes;
  for (const auto& path : paths)
    if (Scene scene = load_scene(path); !scene.system.constraints().empty())
      scenes.push_back(std::move(scene));
  return scenes;
}

/// Largest |ġ| over the rows that hold on position or velocity level, at the last state whose rows
/// `ws` holds [m/s, rad/s].
inline double rate_violation(const VecX& qdot, const Workspace& ws) {
  const ConstraintWorkspace& c = ws.constraints;
  const VecX rates = c.rows.Gt().transpose() * qdot + c.rows.rate;
  double largest = 0;
  for (Eigen::Index r = 0; r < rates.size(); ++r)
    if (c.holding[static_cast<size_t>(r)]) largest = std::max(largest, std::abs(rates[r]));
  return largest;
}

/// Whether a prescribed motion jumps at t, and the state there is that of before.
inline bool ends_at_jump(const System& system, Integrator integrator, double t) {
  const std::vector<double>& times = system.breakpoints();
  return integrator == Integrator::dopri5 &&
         std::find(times.begin(), times.end(), t) != times.end();
}

/// Runs the scene with projection and without stabilisation, and expects the constraints to hold
/// after every step, at the end as well as at the start. Returns the largest residual. Scenes with
/// strands end when they say: later the rope has run out.
inline double expect_held(const Scene& scene, Integrator integrator, double longest) {
  const double until =
      scene.system.has(Feature::strands) ? std::min(longest, scene.settings.until) : longest;
  SimulationSettings settings = scene.settings;
  settings.step.integrator = integrator;
  settings.step.projection = true;
  settings.step.baumgarte = {};
  settings.until = until;
  // With the steps of redmax-15 these two gain energy, with or without constraints, until the run
  // bursts after 7 s. Springs and dampers of `hand` are too stiff for explicit methods at 2.5 ms.
  if (integrator == Integrator::linearly_implicit_euler) settings.dt = std::min(settings.dt, 2e-3);
  if (!info(integrator).implicit) settings.dt = std::min(settings.dt, 1e-3);
  Workspace ws(scene.system), scratch(scene.system);
  State state = initial_state(scene.system, settings.step);
  double first = 0, last = 0, largest = 0, rates = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport& report) {
    // Both: the step's report, and the constraints themselves.
    largest = std::max(largest, report.constraint_error);
    if (ends_at_jump(scene.system, integrator, s.t)) return;
    const double error = constraint_violation(scene.system, s.t, s.q, s.qdot, scratch).error;
    largest = std::max(largest, error);
    if (s.t <= 1) first = std::max(first, error);
    if (s.t > until - 1) last = std::max(last, error);
    rates = std::max(
        rates, rate_violation(s.qdot, scratch) / std::max(1.0, s.qdot.lpNorm<Eigen::Infinity>()));
  };
  const SimulationResult result = simulate(scene.system, settings, state, ws, observer);
  const std::string what = scene.name + " with " + to_string(integrator);
  EXPECT_EQ(result.end, SimulationEnd::finished)
      << what << ": " << describe_failure(scene.system, result, state);
  EXPECT_LE(largest, 1e-9) << what;
  // No drift. Where the next step takes up what is left the projection stops anywhere below 1e-11,
  // so that is not worse than any other.
  EXPECT_LE(last, std::max(first, 1e-11)) << what;
  // Velocities are solved for once, without iteration: rounding times the conditioning of W.
  EXPECT_LE(rates, 1e-10) << what;
  return largest;
}

}  // namespace sinew::test
