#pragma once

#include "sinew/io/tasks/task_problem.hpp"

/// A search of `sinew optimize`, read back from its folder to go on.

namespace sinew {

/// One evaluation of the objective, as the table `convergence` has it.
struct LoggedEvaluation {
  double seconds = 0;
  double evaluation = 0, iteration = 0, value = 0, gradient = 0, best = 0, gap = 0, failed = 0;
};

struct EarlierSearch {
  VecX parameters;                    ///< the best, in multiples of their scales
  std::vector<LoggedEvaluation> log;  ///< at least one
  int failed_runs = 0;
  double first_value = 0;
  std::vector<TaskProblem::TermValue> first_terms;
  MatX states;  ///< at the starts of intervals, a column each; empty without intervals
};

/// Throws an Error that says what is wrong with the folder, or that it is of another task.
EarlierSearch read_earlier_search(const std::filesystem::path& folder, const TaskProblem& problem);

}  // namespace sinew
