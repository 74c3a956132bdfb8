#pragma once

#include <atomic>

#include "sinew/io/tasks/task_problem.hpp"

namespace sinew {

/// The gradient against central differences of runs, whose systems are built anew from the model's
/// file for each. One difference proves little: over a sweep of steps the error of a right gradient
/// falls with the square of the step, and then rises with rounding.
struct GradientCheck {
  /// One direction of the parameters: a parameter, or a random mixture of all.
  struct Direction {
    std::string name;
    double slope_of_value = 0;  ///< of the objective along it, by the gradient
    /// Of the differences, relative to the largest slope; to the value where nothing has an effect.
    std::vector<double> errors;
    double best_error = 0, best_step = 0;
    double order = 0;    ///< slope of log error over log step before the best one
    bool exact = false;  ///< right to rounding from the first step on: nothing to measure
    bool bent = false;   ///< passed without the order: larger steps pass kinks of the run
    /// How far the slopes on both sides differ at the step where they differ least, relative to the
    /// largest slope: at a corner of the objective no step makes it small.
    double corner = 0;
    bool passed = false;
    /// It failed because no gradient is right there.
    bool at_corner() const;
  };
  std::vector<double> steps;  ///< multiples of the parameters' scales
  std::vector<Direction> directions;
  double worst_error = 0;  ///< the largest of the best errors
  double corner = 0;       ///< the largest of the directions that are at one; 0: none is
  bool passed = false;
  bool interrupted = false;
  long long runs = 0;
  long long failed_runs = 0;  ///< of systems with moved parameters; their errors are infinite
  std::string failure;        ///< of the last of these
};

/// The largest error at the best step that passes, and the least order before it.
constexpr double kPassingError = 1e-6, kPassingOrder = 1.8;
/// Up to so many parameters are checked one by one; more by random directions.
constexpr int kMostSingleChecks = 32, kRandomChecks = 16;

/// `each`: every parameter, however many. `on_run` hears of each run, out of how many. Throws an
/// Error if the run at p fails.
GradientCheck check_gradient(const TaskProblem& problem, const VecX& p, const VecX& gradient,
                             bool each, const std::function<void(long long, long long)>& on_run,
                             const std::atomic<bool>* stop);

}  // namespace sinew
