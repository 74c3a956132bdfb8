#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"

/// The tasks that come with the program reach what they promise, by `sinew optimize`, and a run of
/// `sinew simulate` from the files that it writes ends where the optimiser's run ended.

namespace sinew::test {
namespace shipped_tasks_test {

using nlohmann::json;

constexpr double kDegree = std::numbers::pi / 180;

/// The record of an optimisation with the task's own settings.
json optimum(const std::string& task) {
  const TemporaryFolder folder;
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
  std::printf("  from its files: %.2g\n", found["simulate_difference"].get<double>());
  std::fflush(stdout);
  return found;
}

double miss(const json& found, const std::string& name) {
  for (const json& term : found["objectives"])
    if (term["name"] == name) return term["miss"];
  ADD_FAILURE() << "no objective " << name;
  return std::numeric_limits<double>::infinity();
}

TEST(ShippedTasks, ReachExcitedBringsTheHandToRestAtItsTarget) {
  const json found = optimum("reach-excited");
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "place"), 5e-3);
  EXPECT_LT(miss(found, "rest"), 5e-2);
  EXPECT_EQ(found["simulate_difference"], 0);
  EXPECT_LT(found["newton_error"], 1e-9 * found["first_value"].get<double>());
}

TEST(ShippedTasks, HopLiftsHeelAndToe) {
  const json found = optimum("hop");
  ASSERT_FALSE(found.is_null());
  // Their targets are 5 cm above the ground: so high to a tenth of a millimetre.
  EXPECT_LT(miss(found, "heel"), 1e-4);
  EXPECT_LT(miss(found, "toe"), 1e-4);
  EXPECT_EQ(found["simulate_difference"], 0);
}

TEST(ShippedTasks, ThrowHitsItsTarget) {
  const json found = optimum("throw");
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "landing"), 1e-3);
  EXPECT_LE(found["intervals"]["gap"], 1e-8);
  EXPECT_EQ(found["simulate_difference"], 0);
}

TEST(ShippedTasks, TrackSwingFollowsTheRecordedMotion) {
  const json found = optimum("track-swing");
  ASSERT_FALSE(found.is_null());
  EXPECT_LT(miss(found, "swing"), 1 * kDegree);
  EXPECT_LE(found["intervals"]["gap"], 1e-8);
  // In one piece, from its files.
  EXPECT_LT(found["simulate_difference"], 0.01 * kDegree);
}

}  // namespace shipped_tasks_test
}  // namespace sinew::test
