// What studies cost beside their runs: handing out and logging a run, and reading a log of a
// million rows. Prints a table.
//     bench_sweep [rows, default 1000000]
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "sinew/sweep/run_log.hpp"
#include "sinew/sweep/run_queue.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

constexpr size_t kResults = 4;
const sinew::LogOrigin kOrigin{"study", "model", "program"};

/// Takes all runs of a queue and logs rows of numbers.
double hand_out(const fs::path& folder, std::uint64_t runs, int threads) {
  std::vector<std::uint64_t> list(runs);
  for (std::uint64_t k = 0; k < runs; ++k) list[k] = k;
  sinew::LocalQueue queue(std::move(list));
  sinew::RunLog log(folder, kOrigin);
  const auto start = Clock::now();
  std::vector<std::thread> workers;
  for (int k = 0; k < threads; ++k)
    workers.emplace_back([&] {
      sinew::StudyRow row{.status = sinew::RowStatus::passed};
      while (const std::optional<std::uint64_t> run = queue.next()) {
        log.begin(*run);
        row.run = *run;
        row.time = row.seconds = 1.0 / 3;
        row.results.assign(kResults, 1 / (1.0 + static_cast<double>(*run)));
        log.add(row);
        queue.ended(row);
      }
    });
  for (std::thread& worker : workers) worker.join();
  log.sync();
  return seconds_since(start);
}

void run(std::uint64_t rows) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("sinew-bench-{}", ::getpid());
  fmt::print("| what | measured | asked |\n|---|---|---|\n");
  for (const int threads : {1, 2}) {
    const double seconds = hand_out(folder, rows, threads);
    fmt::print("| handing out and logging a run, {} thread{} | {:.3g} µs | 50 µs |\n", threads,
               threads == 1 ? "" : "s", 1e6 * seconds / static_cast<double>(rows));
    if (threads == 1) fs::remove_all(folder);
  }
  const auto start = Clock::now();
  const sinew::LoggedRuns found = sinew::read_logs(folder, kOrigin, rows, kResults);
  fmt::print("| reading {} rows of {} results | {:.3g} s | 10 s |\n",
             found.rows.with(sinew::RowStatus::passed), kResults, seconds_since(start));
  fmt::print("| the most memory of all this | {:.0f} MB | 200 MB |\n", peak_megabytes());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000);
  return 0;
}
