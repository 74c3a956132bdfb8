#include "sinew/system/controls.hpp"

#include <set>

#include "sinew/core/error.hpp"

namespace sinew {

std::vector<ControlFeedback> Controls::feedback(double, const At&) const {
  throw Error("controls", "do not say how they depend on the state", "override Controls::feedback");
}

const std::vector<double>& Controls::breakpoints() const {
  static const std::vector<double> none;
  return none;
}

ControlSchedule::ControlSchedule(std::vector<Entry> entries) : entries_(std::move(entries)) {
  collect_breakpoints();
}

int ControlSchedule::find(std::string_view name) const {
  for (size_t k = 0; k < entries_.size(); ++k)
    if (entries_[k].control.name == name) return static_cast<int>(k);
  return -1;
}

void ControlSchedule::set(int control, const TimeFunction& value) {
  Entry& entry = entries_[static_cast<size_t>(control)];
  entry.control.value = value;
  entry.feedback.reset();
  collect_breakpoints();
}

void ControlSchedule::evaluate(double t, const At& start, VecRef values) const {
  for (size_t k = 0; k < entries_.size(); ++k) {
    const Entry& entry = entries_[k];
    double& value = values[static_cast<Eigen::Index>(k)];
    value = entry.control.value.derivatives(t)[0];
    if (const auto& feedback = entry.feedback) {
      const Eigen::Index c = feedback->coordinate;
      const double q = start.q[c] + (t - start.t) * start.qdot[c];
      value += feedback->gain * (q - feedback->target);
    }
  }
}

std::vector<ControlFeedback> ControlSchedule::feedback(double t, const At& start) const {
  std::vector<ControlFeedback> out;
  for (size_t k = 0; k < entries_.size(); ++k)
    if (const auto& feedback = entries_[k].feedback)
      out.push_back({static_cast<int>(k), feedback->coordinate, feedback->gain,
                     feedback->gain * (t - start.t)});
  return out;
}

void ControlSchedule::collect_breakpoints() {
  std::set<double> times;
  for (const Entry& entry : entries_)
    for (const double t : entry.control.value.breakpoints()) times.insert(t);
  breakpoints_.assign(times.begin(), times.end());
}

}  // namespace sinew
