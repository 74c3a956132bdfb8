#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sinew/sweep/study_row.hpp"

namespace sinew {

/// Hands out the runs of a sweep, to the threads of this process and perhaps to other processes.
/// Threads that compute call `next` and `ended`, the one that started them everything else.
class RunQueue {
 public:
  virtual ~RunQueue() = default;

  /// A run for this process; waits for one. None: there are no more, or it has been closed.
  virtual std::optional<std::uint64_t> next() = 0;
  virtual void ended(const StudyRow&) {}

  /// Hands nothing out from now on, here and in processes that this one leads.
  virtual void close() = 0;
  /// To be called again and again, at this interval.
  virtual void serve() {}
  virtual std::chrono::milliseconds interval() const { return std::chrono::milliseconds(200); }
  /// To be called, when all threads have ended, until it is true: then no process needs this one.
  virtual bool leave() { return true; }

  struct Tally {
    std::uint64_t done = 0, not_passed = 0;
  };
  /// What other processes that it hands runs to have done.
  virtual Tally elsewhere() const { return {}; }
};

using MakeRunQueue = std::function<std::unique_ptr<RunQueue>(std::vector<std::uint64_t> runs)>;

/// Processes that work on a sweep together, each with a queue of its own.
class SweepTeam {
 public:
  virtual ~SweepTeam() = default;
  /// One of them answers the user and writes the table.
  virtual bool leads() const = 0;
  /// Waits until all have come here.
  virtual void gather() = 0;
  virtual std::unique_ptr<RunQueue> queue(std::vector<std::uint64_t> runs, int threads) = 0;
};

/// For the threads of this process alone.
class LocalQueue final : public RunQueue {
 public:
  explicit LocalQueue(std::vector<std::uint64_t> runs) : runs_(std::move(runs)) {}

  std::optional<std::uint64_t> next() override {
    const std::lock_guard lock(mutex_);
    return taken_ < runs_.size() ? std::optional(runs_[taken_++]) : std::nullopt;
  }
  void close() override {
    const std::lock_guard lock(mutex_);
    taken_ = runs_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t> runs_;
  size_t taken_ = 0;
};

}  // namespace sinew
