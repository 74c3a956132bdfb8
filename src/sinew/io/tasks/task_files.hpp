#pragma once

#include "sinew/analysis/motion/motion_table.hpp"
#include "sinew/io/tasks/task_problem.hpp"

/// Files that tasks exchange with other programs and with `sinew simulate`.

namespace sinew {

/// Parameters from a JSON file: a list of all in order, an object of names and values, where those
/// not named keep their start, or an object with either as "parameters", as `sinew gradient --json`
/// and run.json of `sinew optimize` have it. In their own units; returns multiples of the scales.
/// Throws an Error naming what is wrong with the file.
VecX read_parameter_file(const std::filesystem::path& path, const TaskProblem& problem);

/// The controls at p as a table that `sinew simulate --controls` reads. Exact where all have the
/// same knots, or are constant, or change linearly; others are sampled four times a step.
/// False if no control is a parameter: there is nothing to write.
struct ControlTable {
  MotionTable table;
  TimeFunction::Interpolation interpolation = TimeFunction::Interpolation::linear;
  bool exact = true;
};
std::optional<ControlTable> control_table(const TaskProblem& problem, const VecX& p);

/// The start at p as `sinew simulate --initial` reads it: all coordinates, their speeds, and the
/// state of muscles, in one row.
MotionTable initial_table(const TaskProblem& problem, const VecX& p);

}  // namespace sinew
