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
/// Between two tables; longer where writing one takes long.
constexpr auto kTableInterval = std::chrono::seconds(30);
constexpr int kTableShare = 20;

fs::path run_folder(const fs::path& folder, std::uint64_t run) {
  return folder / "runs" / fmt::format("{:06}", run);
}

/// A folder that is empty, or holds a study's logs: other processes may be making these now.
void require_own_folder(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    throw Error(folder.string(), "is a file, not a folder", "choose another --out");
  const fs::directory_iterator entries(folder, code);
  if (!code && entries != fs::directory_iterator() && !fs::exists(folder / kLogs, code))
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
        logged_(read()),
        log_(options.folder / kLogs, origin_of(runner)) {
    const StudyRows& rows = logged_.rows;
    std::vector<std::uint64_t> pending;
    for (std::uint64_t run = options.part; run < rows.count(); run += options.parts)
      if (rows.status(run) == RowStatus::missing) pending.push_back(run);
    queue_ = options.queue ? options.queue(std::move(pending))
                           : std::make_unique<LocalQueue>(std::move(pending));
    known_ = {rows.count() - rows.with(RowStatus::missing), 0};
    known_.not_passed = known_.done - rows.with(RowStatus::passed);
  }

  SweepResult run(const std::function<void(const SweepProgress&)>& on_progress) {
    std::vector<std::thread> threads;
    for (int k = 0; k < std::max(1, options_.threads); ++k) threads.emplace_back([&] { work(); });
    while (true) {
      const bool working = wait(threads.size());
      if (stop_ || failed()) queue_->close();
      queue_->serve();
      try {
        keep_house(on_progress);
      } catch (...) {
        fail();
      }
      if (!working && queue_->leave()) break;
    }
    for (std::thread& thread : threads) thread.join();
    log_.sync();
    if (failure_) std::rethrow_exception(failure_);
    SweepProgress now = progress();
    // Other processes may have added theirs.
    logged_ = read();
    if (options_.writes_table) write_table(logged_);
    now.done = now.count - logged_.rows.with(RowStatus::missing);
    now.not_passed = now.done - logged_.rows.with(RowStatus::passed);
    return {std::move(logged_.rows), now, logged_.damaged, stop_.load()};
  }

 private:
  using Time = Clock::time_point;

  LoggedRuns read() const {
    return read_logs(options_.folder / kLogs, origin_of(runner_), runner_.design().count(),
                     runner_.study().results.size());
  }
  void write_table(const LoggedRuns& of) const {
    write_study_table(options_.folder / kTable, runner_, of.rows);
  }

  /// Until it is time to serve the queue, or all threads have ended. Whether some have not.
  bool wait(size_t threads) {
    std::unique_lock lock(mutex_);
    if (finished_ == threads) {
      lock.unlock();
      std::this_thread::sleep_for(queue_->interval());
      return false;
    }
    changed_.wait_for(lock, queue_->interval(), [&] { return finished_ == threads; });
    return finished_ < threads;
  }

  SweepProgress progress() {
    const RunQueue::Tally others = queue_->elsewhere();
    const std::lock_guard lock(mutex_);
    const std::uint64_t computed = own_.done + others.done;
    return {.done = known_.done + computed,
            .not_passed = known_.not_passed + own_.not_passed + others.not_passed,
            .count = logged_.rows.count(),
            .computed = computed,
            .seconds = std::chrono::duration<double>(Clock::now() - begin_).count()};
  }

  void keep_house(const std::function<void(const SweepProgress&)>& on_progress) {
    const auto due = [](Time& next, std::chrono::milliseconds interval) {
      if (Clock::now() < next) return false;
      next = Clock::now() + interval;
      return true;
    };
    if (on_progress && due(next_progress_, std::chrono::milliseconds(200))) on_progress(progress());
    if (due(next_sync_, std::chrono::seconds(1))) log_.sync();
    if (!options_.writes_table || failed() || !due(next_table_, kTableInterval)) return;
    const Time begin = Clock::now();
    write_table(read());
    next_table_ +=
        kTableShare * std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  bool failed() {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
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
      while (!stop_ && !failed()) {
        const std::optional<std::uint64_t> run = queue_->next();
        if (!run) break;
        log_.begin(*run);
        const std::optional<StudyRow> row = compute(*run);
        if (!row) break;
        log_.add(*row);
        queue_->ended(*row);
        const std::lock_guard lock(mutex_);
        ++own_.done;
        own_.not_passed += row->status != RowStatus::passed;
      }
    } catch (...) {
      fail();
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  const StudyRunner& runner_;
  const SweepOptions& options_;
  const std::atomic<bool>& stop_;
  LoggedRuns logged_;  // as it was at the start
  RunLog log_;
  std::unique_ptr<RunQueue> queue_;
  RunQueue::Tally known_, own_;  // at the start; since, by this process
  size_t finished_ = 0;
  const Time begin_ = Clock::now();
  Time next_progress_ = begin_, next_sync_ = begin_, next_table_ = begin_ + kTableInterval;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
};

}  // namespace

LogOrigin origin_of(const StudyRunner& runner) {
  return {fmt::format("{:016x}", runner.study().content_hash),
          fmt::format("{:016x}", runner.base().hash()), fmt::format("{} {}", version(), commit())};
}

void clear_sweep(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / kLogs, code)) return;
  for (const char* own : {kLogs, "runs", kTable, "table.npy", "run.json", "report.html"})
    fs::remove_all(folder / own, code);
}

SweepResult sweep(const StudyRunner& runner, const SweepOptions& options,
                  const std::function<void(const SweepProgress&)>& on_progress,
                  const std::atomic<bool>& stop) {
  require_own_folder(options.folder);
  return Sweeper(runner, options, stop).run(on_progress);
}

}  // namespace sinew
