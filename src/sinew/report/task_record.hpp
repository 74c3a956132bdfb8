#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/tasks/gradient_check.hpp"
#include "sinew/io/tasks/identification.hpp"
#include "sinew/io/tasks/task_problem.hpp"

/// What run.json and --json tell of a task.

namespace sinew {

/// Name, model and run of a task, with what tells whether its files have changed.
nlohmann::ordered_json describe_task(const TaskProblem& problem);
/// The terms of the objective at the last evaluation.
nlohmann::ordered_json describe_terms(const std::vector<TaskProblem::TermValue>& terms);
/// All parameters at p with their limits, and the derivatives by them unless `gradient` is empty;
/// "at" says which limit holds one.
nlohmann::ordered_json describe_parameters(const TaskProblem& problem, const VecX& p,
                                           const VecX& gradient);
nlohmann::ordered_json describe_kinks(const std::vector<RunDerivatives::Kinks>& kinks);
nlohmann::ordered_json describe_check(const GradientCheck& check);
/// Standard deviations, null where the data do not tell a parameter; combinations that they cannot
/// tell, in words.
nlohmann::ordered_json describe_identification(const TaskProblem& problem,
                                               const Identification& told);

}  // namespace sinew
