#pragma once

#include "sinew/analysis/audit.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew::test {

/// A scene run to its end, with its audit.
struct SceneRun {
  SimulationResult result;
  State state;
  AuditReport audit;
};

inline SceneRun run(const Scene& scene, const SimulationSettings& settings) {
  SceneRun out;
  out.state = initial_state(scene.system, settings.step);
  Workspace ws(scene.system);
  Audit audit(scene.system, settings.step, out.state, ws);
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport& r) { audit.add_step(s, r, ws); };
  out.result = simulate(scene.system, settings, out.state, ws, observer);
  out.audit = audit.report();
  return out;
}
inline SceneRun run(const Scene& scene) { return run(scene, scene.settings); }

}  // namespace sinew::test
