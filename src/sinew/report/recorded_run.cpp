#include "sinew/report/recorded_run.hpp"

#include <chrono>

#include "sinew/analysis/reactions.hpp"

namespace sinew {

using Clock = std::chrono::steady_clock;

RecordedRun run_and_record(const System& system, const SimulationSettings& settings,
                           const Controls& controls, const State& start, RunSink* sink,
                           const std::function<void(double)>& progress,
                           const std::atomic<bool>* stop) {
  RecordedRun out;
  out.state = start;
  Workspace ws(system);
  Audit audit(system, settings.step, controls, start, ws, settings.accepted_energy_gain);
  Snapshot snapshot;
  VecX values(system.controls().size());
  const auto take = [&](const State& state, SnapshotDetail detail) {
    take_snapshot(system, at_state(state, controls, values), detail, ws, snapshot);
  };
  auto next_flush = Clock::now() + std::chrono::seconds(1);
  SimulationObserver observer;
  observer.stop = stop;
  long long steps = 0;
  observer.on_step = [&](const State& state, const StepReport& report) {
    audit.add_report(state, report, ws);
    if (++steps % settings.audit_every == 0 || state.t == settings.until) {
      // Where a row was due, its snapshot serves both.
      if (!sink || snapshot.t != state.t) take(state, SnapshotDetail::audit);
      audit.inspect(state, snapshot, ws);
    }
    if (sink) sink->add_step(state, report);
    if (progress) progress(state.t);
  };
  std::vector<double> reaction;
  if (sink)
    observer.on_output = [&](const State& state) {
      reactions(system, settings.step, state, controls, ws, reaction);
      take(state, SnapshotDetail::tables);
      sink->add_row(state, snapshot, reaction, ws);
      if (Clock::now() < next_flush) return;
      sink->flush();
      next_flush = Clock::now() + std::chrono::seconds(1);
    };

  const Clock::time_point begin = Clock::now();
  out.result = simulate(system, settings, controls, out.state, ws, observer);
  out.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  expand_coordinates(system, out.state, ws, out.q, out.qdot);
  if (out.result.end == SimulationEnd::failed) {
    audit.add_failure();
    out.failure = describe_failure(system, out.result, out.state);
    if (out.result.last.status == StepStatus::newton_failed)
      if (const PathJump jump = find_path_jump(system, out.state, settings.dt, ws);
          jump.muscle >= 0)
        out.failure += ": " + describe(system, jump) + " in the step or beside it";
  }
  out.audit = audit.report();
  out.accepted_gain = audit.accepted_gain();
  out.energy = audit.energy();
  out.initial_energy = audit.initial_energy();
  out.work = audit.work();
  return out;
}

}  // namespace sinew
