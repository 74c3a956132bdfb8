#include "sinew/integrate/event_watch.hpp"

#include <algorithm>

#include "sinew/system/look_ahead.hpp"

namespace sinew {

EventWatch::EventWatch(const System& system) : system_(system), foresees_(foresees(system)) {}

std::optional<double> EventWatch::length(double longest, double expected, const State& state,
                                         Workspace& ws) {
  last_ = std::min(longest, most_);
  if (foresees_) {
    const EventAhead ahead = look_ahead(system_, state, ws, event_);
    if (ahead.reached) return {};
    // Speeds may change within a step: an event is close if twice of that would go past it.
    if (ahead.time < 2 * std::min(last_, expected)) last_ = std::min(last_, 0.5 * ahead.time);
  }
  return last_;
}

bool EventWatch::again(const StepReport& report, double shortest, const State& state) {
  if (report.status != StepStatus::part_failed) {
    most_ *= 2;
    return false;
  }
  if (std::min(last_, report.h) > shortest) {
    most_ = 0.5 * std::min(last_, report.h);
    return true;
  }
  event_ = report.part_failure;
  event_.time = state.t;
  return false;
}

}  // namespace sinew
