#include "sinew/report/simulation_record.hpp"
#include "sinew/sweep/run_measures.hpp"
#include "sinew/sweep/study_base.hpp"

namespace sinew {
namespace {

/// What hears of a run that is kept whole: its folder and its results.
class Both final : public RunSink {
 public:
  Both(RunSink& first, RunSink& second) : first_(first), second_(second) {}
  void add_row(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
               Workspace& ws) override {
    first_.add_row(state, snapshot, reactions, ws);
    second_.add_row(state, snapshot, reactions, ws);
  }
  void add_step(const State& state, const StepReport& report) override {
    first_.add_step(state, report);
    second_.add_step(state, report);
  }
  void flush() override {
    first_.flush();
    second_.flush();
  }

 private:
  RunSink &first_, &second_;
};

}  // namespace

bool simulate_row(const StudiedRun& run, const std::atomic<bool>* stop,
                  const std::filesystem::path& keep, StudyRow& row) {
  RunMeasures measures(run.study, run.model, run.system);
  std::optional<RunFolder> folder;
  if (!keep.empty())
    folder.emplace(keep, TableFormat::sto, run.model.name, run.system, run.model.state_names,
                   is_adaptive(run.settings.step));
  std::optional<Both> both;
  if (folder) both.emplace(*folder, measures);
  RunSink* const sink = both ? static_cast<RunSink*>(&*both) : &measures;
  const SimulationOrigin origin{run.model, run.system, run.settings, run.options, run.command};
  if (folder) folder->describe(record_simulation(origin, describe_unfinished(origin)));
  const RecordedRun out =
      run_and_record(run.system, run.settings, run.system.controls(),
                     initial_state(run.system, run.settings.step), sink, {}, stop);
  if (folder) folder->finish(record_simulation(origin, describe_simulation(origin, out)));
  if (out.result.end == SimulationEnd::interrupted) return false;
  row.time = out.state.t;
  row.results = measures.values();
  if (out.result.end == SimulationEnd::failed) {
    row.status = RowStatus::failed;
    row.reason = out.failure;
  } else if (!out.audit.passed) {
    row.status = RowStatus::audit_failed;
    row.reason = out.audit.verdict;
  } else {
    row.status = RowStatus::passed;
  }
  return true;
}

}  // namespace sinew
