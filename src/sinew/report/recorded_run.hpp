#pragma once

#include "sinew/analysis/audit.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/report/run_folder.hpp"

namespace sinew {

/// One run and all there is to tell about it.
struct RecordedRun {
  SimulationResult result;
  State state;   ///< the last one
  VecX q, qdot;  ///< all coordinates there, dependent ones too
  AuditReport audit;
  double accepted_gain = 0;
  Energy energy, initial_energy;
  double work = 0;          ///< done on the system [J]
  double wall_seconds = 0;  ///< [s]
  std::string failure;      ///< empty unless the run failed

  /// Since the start [J].
  double potential_change() const { return energy.potential() - initial_energy.potential(); }
};

/// Runs a system from `start` and audits it. Its rows go to `sink`, which may be null and is
/// flushed once a second. `progress`, where there is one, hears the time of every step; `stop` may
/// be null.
RecordedRun run_and_record(const System& system, const SimulationSettings& settings,
                           const Controls& controls, const State& start, RunSink* sink,
                           const std::function<void(double)>& progress,
                           const std::atomic<bool>* stop);

}  // namespace sinew
