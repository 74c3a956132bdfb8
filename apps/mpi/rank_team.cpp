#include "mpi/rank_team.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <thread>

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;

/// Messages. A rank asks rank 0 with {1, its tally}; the answer is a block of runs, empty where
/// there are none left. With {0, its tally} it leaves. Rank 0 tells the others once if the sweep is
/// stopped.
constexpr int kAsk = 1, kBlock = 2, kStop = 3;

constexpr auto kInterval = std::chrono::milliseconds(2);
constexpr auto kForever = std::chrono::hours(1000000);
/// A block is this share of what each worker would have left.
constexpr std::uint64_t kShare = 2, kLargestBlock = 4096;

bool arrived(int source, int tag, MPI_Status& status) {
  int flag = 0;
  MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status);
  return flag != 0;
}

/// Sleeps until a request is done, or no longer than `patience`.
bool wait_for(MPI_Request& request, std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(kInterval);
  }
  return true;
}

/// Small messages, which MPI keeps: the call does not wait for the other side.
void send(const std::vector<std::uint64_t>& words, int to, int tag) {
  MPI_Send(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
}

std::vector<std::uint64_t> receive(const MPI_Status& status) {
  int count = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  std::vector<std::uint64_t> out(static_cast<size_t>(count));
  MPI_Recv(out.data(), count, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return out;
}

class LeadingQueue final : public RunQueue {
 public:
  LeadingQueue(std::vector<std::uint64_t> runs, int ranks, int threads)
      : runs_(std::move(runs)),
        tallies_(static_cast<size_t>(ranks)),
        here_(tallies_.size(), 1),
        workers_(static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(threads)) {}

  std::optional<std::uint64_t> next() override {
    const std::lock_guard lock(mutex_);
    return taken_ < runs_.size() ? std::optional(runs_[taken_++]) : std::nullopt;
  }

  void close() override {
    {
      const std::lock_guard lock(mutex_);
      taken_ = runs_.size();
    }
    if (std::exchange(closed_, true)) return;
    for (size_t rank = 1; rank < here_.size(); ++rank)
      if (here_[rank] != 0) send({}, static_cast<int>(rank), kStop);
  }

  void serve() override {
    MPI_Status status;
    while (arrived(MPI_ANY_SOURCE, kAsk, status)) {
      const std::vector<std::uint64_t> question = receive(status);
      const auto rank = static_cast<size_t>(status.MPI_SOURCE);
      tallies_[rank] = {question[1], question[2]};
      if (question[0] == 0)
        here_[rank] = 0;
      else
        send(block(), status.MPI_SOURCE, kBlock);
    }
  }
  std::chrono::milliseconds interval() const override { return kInterval; }

  bool leave() override {
    serve();
    return std::none_of(here_.begin() + 1, here_.end(), [](char here) { return here != 0; });
  }

  Tally elsewhere() const override {
    Tally out;
    for (const Tally& tally : tallies_) {
      out.done += tally.done;
      out.not_passed += tally.not_passed;
    }
    return out;
  }

 private:
  std::vector<std::uint64_t> block() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t left = runs_.size() - taken_;
    const std::uint64_t size =
        std::clamp(left / (kShare * workers_), std::uint64_t{1}, kLargestBlock);
    const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(taken_);
    taken_ += std::min(size, left);
    return {first, runs_.begin() + static_cast<std::ptrdiff_t>(taken_)};
  }

  std::mutex mutex_;
  std::vector<std::uint64_t> runs_;
  size_t taken_ = 0;
  bool closed_ = false;
  std::vector<Tally> tallies_;  // by rank
  std::vector<char> here_;      // ranks that have not left
  std::uint64_t workers_;
};

class FollowingQueue final : public RunQueue {
 public:
  explicit FollowingQueue(int threads) : threads_(static_cast<size_t>(threads)) {}

  std::optional<std::uint64_t> next() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || !runs_.empty(); });
    if (runs_.empty()) return std::nullopt;
    const std::uint64_t run = runs_.front();
    runs_.pop_front();
    return run;
  }

  void ended(const StudyRow& row) override {
    const std::lock_guard lock(mutex_);
    ++tally_.done;
    tally_.not_passed += row.status != RowStatus::passed;
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    runs_.clear();
    over_ = closed_ = true;
    changed_.notify_all();
  }

  void serve() override {
    MPI_Status status;
    if (arrived(0, kStop, status)) {
      receive(status);
      std::raise(SIGTERM);
    }
    if (asked_ && arrived(0, kBlock, status)) take(receive(status));
    const std::lock_guard lock(mutex_);
    if (asked_ || over_ || runs_.size() >= threads_) return;
    ask(1);
    asked_ = true;
  }
  std::chrono::milliseconds interval() const override { return kInterval; }

  bool leave() override {
    serve();
    const std::lock_guard lock(mutex_);
    if (asked_) return false;  // an answer is on its way
    ask(0);
    return true;
  }

 private:
  void ask(std::uint64_t wants) { send({wants, tally_.done, tally_.not_passed}, 0, kAsk); }

  void take(const std::vector<std::uint64_t>& block) {
    const std::lock_guard lock(mutex_);
    asked_ = false;
    over_ = over_ || block.empty();
    if (!closed_) runs_.insert(runs_.end(), block.begin(), block.end());
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> runs_;
  bool asked_ = false, over_ = false, closed_ = false;
  Tally tally_;
  size_t threads_;
};

}  // namespace

RankTeam::RankTeam() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_dup(MPI_COMM_WORLD, &gathering_);
}

void RankTeam::gather() {
  MPI_Request request;
  MPI_Ibarrier(gathering_, &request);
  wait_for(request, kForever);
  gathered_ = true;
}

bool RankTeam::end() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  return wait_for(request, gathered_ ? kForever : std::chrono::seconds(2));
}

std::unique_ptr<RunQueue> RankTeam::queue(std::vector<std::uint64_t> runs, int threads) {
  if (leads()) return std::make_unique<LeadingQueue>(std::move(runs), size_, threads);
  return std::make_unique<FollowingQueue>(threads);
}

}  // namespace sinew
