#pragma once

#include <mpi.h>

#include "sinew/sweep/run_queue.hpp"

namespace sinew {

/// The ranks of MPI_COMM_WORLD. Rank 0 has the list of runs and hands out blocks of it, which
/// shrink towards its end; it works, too. All calls of MPI are made by the thread that called
/// MPI_Init, and none of them waits: a rank without work sleeps.
class RankTeam final : public SweepTeam {
 public:
  RankTeam();

  bool leads() const override { return rank_ == 0; }
  void gather() override;
  std::unique_ptr<RunQueue> queue(std::vector<std::uint64_t> runs, int threads) override;

  /// Waits until all ranks come here. False if some do not: they wait at `gather` for this one.
  bool end();

 private:
  int rank_ = 0, size_ = 1;
  MPI_Comm gathering_;
  bool gathered_ = false;
};

}  // namespace sinew
