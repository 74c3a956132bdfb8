#pragma once

#include "sinew/adjoint/covariance.hpp"
#include "sinew/io/tasks/task_problem.hpp"

namespace sinew {

/// How well a task tells its parameters, where it compares the run with data. The noise of the data
/// is taken from what the best parameters leave of the residuals: all have the same noise once they
/// are multiplied by the roots of their weights.
struct Identification {
  Eigen::Index data = 0;  ///< residuals of states
  double noise = 0;       ///< standard deviation of one of them
  /// For each unknown its standard deviation, in its own unit; infinite if the data do not tell it.
  /// A limit that holds an unknown is no knowledge of it.
  VecX deviations;
  MatX correlations;  ///< between those that are told; 0 for others
  /// Combinations that the data cannot tell, in scales: "0.71 strength − 0.70 slack_length".
  std::vector<std::string> unresolved;
};

/// At p, where an optimisation ended. None if there are not more data than parameters, or if the
/// run fails. Takes up to two more runs for each unknown: over two deviations the data must follow
/// their derivatives, otherwise they do not tell that combination.
std::optional<Identification> identify(TaskProblem& problem, const VecX& p);

}  // namespace sinew
