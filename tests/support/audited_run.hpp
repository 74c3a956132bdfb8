#pragma once

#include "sinew/analysis/audit.hpp"
#include "sinew/integrate/simulate.hpp"

namespace sinew::test {

/// The audit of a run from the default state.
inline AuditReport audited_run(const System& system, const SimulationSettings& settings) {
  State state = system.default_state();
  Workspace ws(system);
  Audit audit(system, settings.step, state, ws);
  simulate(system, settings, state, ws,
           {.on_step = [&](const State& s, const StepReport& r) { audit.add_step(s, r, ws); },
            .on_output = {},
            .stop = nullptr});
  return audit.report();
}

}  // namespace sinew::test
