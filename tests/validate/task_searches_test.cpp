#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "sinew/io/tasks/task_problem.hpp"
#include "sinew/math/cma_es.hpp"
#include "sinew/math/infinity.hpp"
#include "support/source_dir.hpp"

/// Searches by gradients against the evolution strategy CMA-ES, on the task `reach`. A run with its
/// gradient counts as one evaluation.

namespace sinew {
namespace task_searches_test {

Task shipped(const std::string& name) {
  return load_task(test::source_dir() + "/tasks/" + name + ".json");
}
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What misses its target, of the last evaluation [m, m/s].
std::vector<double> misses(const TaskProblem& problem) {
  std::vector<double> out;
  for (const TaskProblem::TermValue& term : problem.terms()) out.push_back(term.miss.value_or(0));
  return out;
}

struct Search {
  int evaluations = 0;
  double seconds = 0;          ///< of the processor
  VecX found;                  ///< where it met the target; empty if it did not
  double nearest = kInfinity;  ///< the least that its first term missed its target by [m]
};

/// The evaluations until all terms are within these of their targets.
Search by_gradients(TaskProblem& problem, const VecX& start, const std::vector<double>& within,
                    int most) {
  Search out;
  const double begin = cpu_seconds();
  MinimizeOptions options;
  options.evaluations = most;
  minimize(
      [&](const VecX& p, double& value, VecX& gradient) {
        ValueAndGradient at;
        if (out.found.size() > 0) return false;
        ++out.evaluations;
        try {
          if (!problem.evaluate(p, at)) return false;
        } catch (const Error&) {  // a trial on which a path is lost
          return false;
        }
        value = at.value;
        gradient = at.gradient;
        const std::vector<double> miss = misses(problem);
        out.nearest = std::min(out.nearest, miss[0]);
        if (std::equal(miss.begin(), miss.end(), within.begin(), std::less<>())) out.found = p;
        return true;
      },
      start, problem.bounds(), options,
      [&](const MinimizeResult&) { return out.found.size() == 0; });
  out.seconds = cpu_seconds() - begin;
  return out;
}

Search by_evolution(TaskProblem& problem, const VecX& start, std::uint64_t seed,
                    const std::vector<double>& within, int most) {
  Search out;
  const double begin = cpu_seconds();
  CmaOptions options;
  options.seed = seed;
  options.evaluations = most;
  cma_es(
      [&](const VecX& p, double& value) {
        if (out.found.size() > 0 || !problem.evaluate_value(p, value)) return false;
        ++out.evaluations;
        const std::vector<double> miss = misses(problem);
        if (std::equal(miss.begin(), miss.end(), within.begin(), std::less<>())) out.found = p;
        return true;
      },
      start, problem.bounds(), options, [&](const CmaResult&) { return out.found.size() == 0; });
  out.seconds = cpu_seconds() - begin;
  return out;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return 0.5 * (of[(of.size() - 1) / 2] + of[of.size() / 2]);
}

constexpr int kMost = 2000;  // evaluations of a search by gradients

/// Where a run of the same torques with another method ends, from the target [m].
double miss_with_sdirk2_in_energy_variables(const TaskProblem& problem, const VecX& p) {
  SystemEdit edit;
  edit.start = problem.run_start(p);
  const System system = problem.model().build(edit);
  SimulationSettings run = problem.simulation(p);
  run.step.integrator = Integrator::sdirk2;
  run.step.variables = StepVariables::energy;
  Workspace ws(system), judge(system);
  State state = initial_state(system, run.step);
  EXPECT_EQ(simulate(system, run, state, ws).end, SimulationEnd::finished);
  const int steps = problem.settings().steps;
  return problem.made_terms()[0]
      .of_states[0]
      ->residual({system, state, steps, steps, run.dt, judge})
      .norm();
}

TEST(TaskSearches, ReachesWithATenthOfTheRunsOfAnEvolutionStrategy) {
  TaskProblem problem(shipped("reach"));
  const std::vector<double> within = {1e-3};
  const Search found = by_gradients(problem, problem.start(), within, kMost);
  ASSERT_GT(found.found.size(), 0);
  // What a search takes beyond that changes no verdict: both numbers are lower bounds then.
  const int most = 12 * found.evaluations;
  std::vector<double> evaluations, seconds;
  // A deviation of one scale is 3 N m.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Search search = by_evolution(problem, problem.start(), seed, within, most);
    evaluations.push_back(search.evaluations);
    seconds.push_back(search.seconds);
    std::printf("seed %2d: %s after %d runs, %.1f s\n", static_cast<int>(seed),
                search.found.size() > 0 ? "met" : "not met", search.evaluations, search.seconds);
    std::fflush(stdout);
  }
  std::printf(
      "reach, 1 mm: gradients %d runs, %.2f s; CMA-ES %g runs, %.2f s (medians of 10, "
      "stopped after %d)\n",
      found.evaluations, found.seconds, median(evaluations), median(seconds), most);
  EXPECT_GE(median(evaluations), 10 * found.evaluations);
  EXPECT_GE(median(seconds), 4 * found.seconds);
}

TEST(TaskSearches, FindTorquesThatHoldInEnergyVariables) {
  TaskProblem problem(shipped("reach"));
  const Search found = by_gradients(problem, problem.start(), {1e-3}, kMost);
  ASSERT_GT(found.found.size(), 0);
  const double other = miss_with_sdirk2_in_energy_variables(problem, found.found);
  std::printf("the torques found, with sdirk2 in energy variables: %.2f mm\n", 1e3 * other);
  EXPECT_LT(other, 3e-3);
}

TEST(TaskSearches, BringTheHandToRestWhereAnEvolutionStrategyStaysWorse) {
  TaskProblem problem(shipped("reach-excited"));
  const Search found = by_gradients(problem, problem.start(), {5e-3, 5e-2}, kMost);
  ASSERT_GT(found.found.size(), 0);
  double reached = 0;
  ASSERT_TRUE(problem.evaluate_value(found.found, reached));
  CmaOptions options;
  options.evaluations = 20 * found.evaluations;
  const CmaResult other =
      cma_es([&](const VecX& p, double& value) { return problem.evaluate_value(p, value); },
             problem.start(), problem.bounds(), options);
  std::printf("reach-excited: gradients %.3g after %d runs, CMA-ES %.3g after %d\n", reached,
              found.evaluations, other.value, other.evaluations);
  EXPECT_GT(other.value, reached);
}

// Without torques the arm falls, and most trials lose a path of a muscle: they are backed away
// from.
TEST(TaskSearches, BackAwayFromTrialsThatFail) {
  TaskProblem problem(shipped("reach"));
  constexpr int kFewer = 200;
  const Search from_zero =
      by_gradients(problem, VecX::Zero(problem.start().size()), {1e-3}, kFewer);
  std::printf("from zero torques: %s after %d runs, %.4g m from the target at best\n",
              from_zero.found.size() > 0 ? "met" : "not met", from_zero.evaluations,
              from_zero.nearest);
  EXPECT_GT(from_zero.evaluations, 1);
  EXPECT_LE(from_zero.evaluations, kFewer);
}

}  // namespace task_searches_test
}  // namespace sinew
