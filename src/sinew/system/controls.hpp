#pragma once

#include <optional>
#include <string_view>

#include "sinew/dynamics/control.hpp"
#include "sinew/system/at.hpp"

namespace sinew {

/// How a control depends on the state at the start of the step: derivatives by one coordinate and
/// by its rate.
struct ControlFeedback {
  int control, coordinate;
  double by_q, by_qdot;
};

/// Gives values to the inputs of a system, in the order of System::controls(): a schedule, a table,
/// a controller, a user at a slider.
class Controls {
 public:
  virtual ~Controls() = default;
  /// Values at t, for a step that began at `start`: what a controller measures is known there. One
  /// that feeds back coordinates may take them on to t at their speeds.
  virtual void evaluate(double t, const At& start, VecRef values) const = 0;
  /// The derivatives of `evaluate` by `start`. Throws an Error unless overridden: gradients of runs
  /// need it.
  virtual std::vector<ControlFeedback> feedback(double t, const At& start) const;
  /// Times at which a value jumps or bends, ascending: adaptive integrators stop there. None unless
  /// overridden.
  virtual const std::vector<double>& breakpoints() const;
};

/// The state with the values that the controls have there, which are kept in `values`; there are as
/// many as the system's.
inline At at_state(const State& state, const Controls& controls, VecX& values) {
  controls.evaluate(state.t, state, values);
  return {state.t, state.q, state.qdot, state.z, 0, values};
}

/// Adds gain · (q − target) to a control.
struct CoordinateFeedback {
  int coordinate = 0;  ///< index into System::coordinates()
  double gain = 0;     ///< [1/rad or 1/m]
  double target = 0;   ///< [rad or m]
};

/// Functions of time, some with feedback of a coordinate: the model's own schedule of its inputs.
class ControlSchedule final : public Controls {
 public:
  struct Entry {
    Control control;
    std::optional<CoordinateFeedback> feedback;
  };

  ControlSchedule() = default;
  explicit ControlSchedule(std::vector<Entry> entries);

  int size() const { return static_cast<int>(entries_.size()); }
  const std::vector<Entry>& entries() const { return entries_; }
  /// The first control of that name; −1 if there is none.
  int find(std::string_view name) const;
  /// Uses this function from now on, without feedback.
  void set(int control, const TimeFunction& value);

  void evaluate(double t, const At& start, VecRef values) const override;
  std::vector<ControlFeedback> feedback(double t, const At& start) const override;
  const std::vector<double>& breakpoints() const override { return breakpoints_; }

 private:
  void collect_breakpoints();

  std::vector<Entry> entries_;
  std::vector<double> breakpoints_;
};

}  // namespace sinew
