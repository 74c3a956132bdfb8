#pragma once

#include <functional>

#include "sinew/sweep/run_log.hpp"
#include "sinew/sweep/run_queue.hpp"
#include "sinew/sweep/study_runner.hpp"

namespace sinew {

struct SweepOptions {
  std::filesystem::path folder;
  int threads = 1;
  /// This process computes runs `part`, `part` + `parts`, …
  std::uint64_t part = 0, parts = 1;
  enum class Keep { none, failed, all } keep = Keep::none;  ///< runs whose tables are kept
  /// Computes a run in a process of its own, for runs in which a process has died; empty: as any
  /// other.
  std::function<StudyRow(std::uint64_t run)> alone = {};
  /// What hands out runs; empty: a LocalQueue.
  MakeRunQueue queue = {};
  /// Whether this process writes the table: one of those that a queue serves does.
  bool writes_table = true;
};

struct SweepProgress {
  std::uint64_t done = 0, not_passed = 0, count = 0;  ///< of the whole study
  std::uint64_t computed = 0;  ///< by this process, and those that its queue serves
  double seconds = 0;
};

struct SweepResult {
  StudyRows rows;
  SweepProgress progress;
  int damaged = 0;  ///< lines of logs that were left out
  bool interrupted = false;
};

/// Computes what is missing of a study, on as many threads as asked for, until `stop` is true. Rows
/// are in the folder's logs as soon as they are known; the table is written now and then and at the
/// end. `on_progress` is called a few times a second. Throws an Error, with all rows kept,
/// if the folder belongs to something else or cannot be written.
SweepResult sweep(const StudyRunner& runner, const SweepOptions& options,
                  const std::function<void(const SweepProgress&)>& on_progress,
                  const std::atomic<bool>& stop);

/// What logs in this folder have to belong to.
LogOrigin origin_of(const StudyRunner& runner);
/// Removes what an earlier study left there.
void clear_sweep(const std::filesystem::path& folder);

/// Writes table.csv: a line for each run that is known, in order, the same bytes whatever computed
/// them.
void write_study_table(const std::filesystem::path& path, const StudyRunner& runner,
                       const StudyRows& rows);
/// The same as an array of doubles, without reasons: run, parameters, status by number, results,
/// time.
void write_study_array(const std::filesystem::path& path, const StudyRunner& runner,
                       const StudyRows& rows);

}  // namespace sinew
