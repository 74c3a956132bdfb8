#include "sinew/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr const char* kLogs = "log";
constexpr const char* kTable = "table.csv";
constexpr auto kTableInterval = std::chrono::seconds(30);

fs::path run_folder(const fs::path& folder, std::uint64_t run) {
  return folder / "runs" / fmt::format("{:06}", run);
}

/// A folder that is empty, or holds a study's logs.
void require_own_folder(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    throw Error(folder.string(), "is a file, not a folder", "choose another --out");
  if (fs::exists(folder / kLogs, code)) return;
  const fs::directory_iterator entries(folder, code);
  if (!code && entries != fs::directory_iterator())
    throw Error(folder.string(), "is not empty and holds no study", "choose another --out");
  fs::create_directories(folder, code);
  if (code)
    throw Error(folder.string(), "cannot be made: " + code.message(), "choose another --out");
}

/// What the threads of a sweep share.
class Sweeper {
 public:
  Sweeper(const StudyRunner& runner, const SweepOptions& options, const std::atomic<bool>& stop)
      : runner_(runner),
        options_(options),
        stop_(stop),
        logged_(read_logs(options.folder / kLogs, origin_of(runner), runner.design().count(),
                          runner.study().results.size())),
        log_(options.folder / kLogs, origin_of(runner)) {
    for (std::uint64_t run = options.part; run < logged_.rows.count(); run += options.parts)
      if (logged_.rows.status(run) == RowStatus::missing) pending_.push_back(run);
    progress_.count = logged_.rows.count();
    for (std::uint64_t run = 0; run < logged_.rows.count(); ++run) count(logged_.rows.status(run));
    progress_.computed = 0;
  }

  SweepResult run(const std::function<void(const SweepProgress&)>& on_progress) {
    const Clock::time_point begin = Clock::now();
    Clock::time_point next_table = begin + kTableInterval, next_sync = begin;
    std::vector<std::thread> threads;
    for (int k = 0; k < std::max(1, options_.threads); ++k) threads.emplace_back([&] { work(); });
    {
      std::unique_lock lock(mutex_);
      while (finished_ < threads.size()) {
        changed_.wait_for(lock, std::chrono::milliseconds(200));
        progress_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const SweepProgress now = progress_;
        lock.unlock();
        if (on_progress) on_progress(now);
        if (Clock::now() >= next_sync) {
          log_.sync();
          next_sync = Clock::now() + std::chrono::seconds(1);
        }
        lock.lock();
        if (Clock::now() < next_table) continue;
        write_table();
        next_table = Clock::now() + kTableInterval;
      }
    }
    for (std::thread& thread : threads) thread.join();
    log_.sync();
    if (failure_) std::rethrow_exception(failure_);
    // Other processes may have added theirs.
    logged_ = read_logs(options_.folder / kLogs, origin_of(runner_), logged_.rows.count(),
                        logged_.rows.results());
    write_table();
    progress_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    progress_.done = progress_.count - logged_.rows.with(RowStatus::missing);
    progress_.not_passed = progress_.done - logged_.rows.with(RowStatus::passed);
    return {std::move(logged_.rows), progress_, logged_.damaged, stop_.load()};
  }

 private:
  void count(RowStatus status) {
    if (status == RowStatus::missing) return;
    ++progress_.done;
    ++progress_.computed;
    progress_.not_passed += status != RowStatus::passed;
  }

  void write_table() { write_study_table(options_.folder / kTable, runner_, logged_.rows); }

  bool next(std::uint64_t& run) {
    const std::lock_guard lock(mutex_);
    if (stop_ || failure_ || taken_ == pending_.size()) return false;
    run = pending_[taken_++];
    return true;
  }

  std::optional<StudyRow> compute(std::uint64_t run) {
    using Keep = SweepOptions::Keep;
    const auto& dead = logged_.in_flight;
    if (options_.alone && std::binary_search(dead.begin(), dead.end(), run))
      return options_.alone(run);
    const fs::path folder = run_folder(options_.folder, run);
    std::optional<StudyRow> row =
        runner_.run(run, &stop_, options_.keep == Keep::all ? folder : fs::path());
    if (row && options_.keep == Keep::failed && row->status != RowStatus::passed &&
        row->status != RowStatus::refused)
      runner_.run(run, &stop_, folder);
    return row;
  }

  void work() {
    try {
      std::uint64_t run = 0;
      while (next(run)) {
        log_.begin(run);
        const std::optional<StudyRow> row = compute(run);
        if (!row) break;
        log_.add(*row);
        const std::lock_guard lock(mutex_);
        logged_.rows.add(*row);
        count(row->status);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  const StudyRunner& runner_;
  const SweepOptions& options_;
  const std::atomic<bool>& stop_;
  LoggedRuns logged_;
  RunLog log_;
  std::vector<std::uint64_t> pending_;
  size_t taken_ = 0, finished_ = 0;
  SweepProgress progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
};

}  // namespace

LogOrigin origin_of(const StudyRunner& runner) {
  return {fmt::format("{:016x}", runner.study().content_hash),
          fmt::format("{:016x}", runner.model_hash()), fmt::format("{} {}", version(), commit())};
}

void clear_sweep(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / kLogs, code)) return;
  for (const char* own : {kLogs, "runs", kTable, "table.npy", "run.json"})
    fs::remove_all(folder / own, code);
}

SweepResult sweep(const StudyRunner& runner, const SweepOptions& options,
                  const std::function<void(const SweepProgress&)>& on_progress,
                  const std::atomic<bool>& stop) {
  require_own_folder(options.folder);
  return Sweeper(runner, options, stop).run(on_progress);
}

}  // namespace sinew
