#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"

/// The tasks that come with the program reach what they promise, by `sinew optimize`, and a run of
/// `sinew simulate` from the files that it writes ends where the optimiser's run ended.

namespace sinew::test {
namespace shipped_tasks_test {

using nlohmann::json;

constexpr double kDegree = std::numbers::pi / 180;

/// How far the run in one piece, from the files that were written, is from the states at which the
/// intervals of multiple shooting start and the last one ends, at most [rad, m].
double distance_from_intervals(const json& found, const std::filesystem::path& after) {
  const size_t coordinates = json::parse(read_file(after / "run.json"))["final"].size();
  std::vector<std::vector<double>> rows;
  std::istringstream text(read_file(after / "states.sto"));
  bool header = true;
  for (std::string line; std::getline(text, line);) {
    if (!header) {
      std::istringstream cells(line);
      rows.emplace_back(std::istream_iterator<double>(cells), std::istream_iterator<double>());
    }
    if (line.starts_with("time")) header = false;
  }
  const json& states = found["intervals"]["states"];
  const size_t intervals = states.size() - 1, steps = rows.size() - 1;
  EXPECT_EQ(steps % intervals, 0u);
  double out = 0;
  for (size_t k = 0; k <= intervals; ++k)
    for (size_t i = 0; i < coordinates; ++i)
      out = std::max(out,
                     std::abs(rows[k * (steps / intervals)][1 + i] - states[k][i].get<double>()));
  std::printf("  in one piece within %.2g of the states of intervals\n", out);
  return out;
}

/// The record of an optimisation with the task's own settings.
json optimum(const std::string& task, const TemporaryFolder& folder) {
  const ProgramResult run =
      run_program("optimize " + task + " --json --out '" + (folder / "found").string() + "'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  if (run.exit_code != 0) return {};
  json found = json::parse(run.out);
  std::printf("%s: %s after %d iterations and %d runs, %d failed, %.1f s\n", task.c_str(),
              found["end"].get<std::string>().c_str(), found["iterations"].get<int>(),
              found["evaluations"].get<int>(), found["failed_runs"].get<int>(),
              found["wall_seconds"].get<double>());
  for (const json& term : found["objectives"])
    if (term.contains("miss"))
      std::printf("  %s: misses by %.3g %s\n", term["name"].get<std::string>().c_str(),
                  term["miss"].get<double>(), term.value("unit", "").c_str());
  if (found.contains("intervals"))
    std::printf("  gaps %.2g\n", found["intervals"]["gap"].get<double>());
  std::printf("  from its files: %.2g; tolerances change its value by %.2g of the first\n",
              found["simulate_difference"].get<double>(),
              found["newton_error"].get<double>() / found["first_value"].get<double>());
  EXPECT_LE(found["newton_error"], 1e-9 * found["first_value"].get<double>());
  std::fflush(stdout);
  return found;
}

double miss(const json& found, const std::string& name) {
  for (const json& term : found["objectives"])
    if (term["name"] == name) return term["miss"];
  ADD_FAILURE() << "no objective " << name;
  return std::numeric_limits<double>::infinity();
}

/// How far the run of the printed `sinew simulate` command ends from that of the optimiser
/// [rad, m].
double distance_of_printed_command(const json& found, const std::filesystem::path& after) {
  const std::string again = found["simulate"];
  const ProgramResult run = run_program(again.substr(std::string("sinew ").size()) + " --json");
  EXPECT_EQ(run.exit_code, 0) << again << "\n" << run.err;
  if (run.exit_code != 0) return std::numeric_limits<double>::infinity();
  const json ends = json::parse(run.out)["final"],
             expected = json::parse(read_file(after / "run.json"))["final"];
  double out = 0;
  for (const auto& [name, value] : expected.items())
    out = std::max(out, std::abs(ends[name].get<double>() - value.get<double>()));
  std::printf("  the printed command ends within %.2g\n", out);
  return out;
}

TEST(ShippedTasks, ReachExcitedBringsTheHandToRestAtItsTarget) {
  const TemporaryFolder folder;
  const json found = optimum("reach-excited", folder);
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "place"), 5e-3);
  EXPECT_LT(miss(found, "rest"), 5e-2);
  EXPECT_EQ(found["simulate_difference"], 0);
}

TEST(ShippedTasks, HopLiftsHeelAndToe) {
  const TemporaryFolder folder;
  const json found = optimum("hop", folder);
  ASSERT_FALSE(found.is_null());
  // Both end at least 5 cm above the ground: their targets are half a millimetre higher.
  constexpr double kTarget = 0.0505;
  EXPECT_GE(kTarget - miss(found, "heel"), 0.05);
  EXPECT_GE(kTarget - miss(found, "toe"), 0.05);
  EXPECT_EQ(found["simulate_difference"], 0);
}

TEST(ShippedTasks, ThrowHitsItsTarget) {
  const TemporaryFolder folder;
  const json found = optimum("throw", folder);
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "landing"), 1e-3);
  EXPECT_LE(found["intervals"]["gap"], 1e-8);
  EXPECT_EQ(found["simulate_difference"], 0);
  EXPECT_LT(distance_from_intervals(found, folder / "found" / "after"), 1e-4);
  EXPECT_LT(distance_of_printed_command(found, folder / "found" / "after"), 1e-9);
}

TEST(ShippedTasks, TrackSwingFollowsTheRecordedMotion) {
  const TemporaryFolder folder;
  const json found = optimum("track-swing", folder);
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "swing"), 1 * kDegree);
  EXPECT_LE(found["intervals"]["gap"], 1e-8);
  // In one piece; `simulate` also projects the pelvis, which is prescribed.
  EXPECT_LT(found["simulate_difference"], 0.01 * kDegree);
  EXPECT_LT(distance_from_intervals(found, folder / "found" / "after"), 0.01 * kDegree);
  EXPECT_LT(distance_of_printed_command(found, folder / "found" / "after"), 0.01 * kDegree);
}

}  // namespace shipped_tasks_test
}  // namespace sinew::test
