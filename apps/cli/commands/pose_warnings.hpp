#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/io/models/loaded_model.hpp"

/// Warnings about poses, on the error stream, one of each kind.

namespace sinew::cli {

/// Where a model starts by itself: values that look like degrees or are far outside their range,
/// except those that options gave, and muscles with a path point inside a wrap surface.
void warn_of_start(const LoadedModel& model);
/// The same of a system that is there already, at the start of its run.
void warn_of_start(const LoadedModel& model, const System& system, const State& start);

/// Muscles with a path point inside a wrap surface somewhere in a motion.
void warn_of_inside(const LoadedModel& model, const Motion& motion);

/// Coordinates that a run left far outside their range, unless one was there at its start.
void warn_of_end(const LoadedModel& model, const State& start, const State& end);

}  // namespace sinew::cli
