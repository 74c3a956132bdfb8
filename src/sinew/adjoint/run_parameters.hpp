#pragma once

#include "sinew/adjoint/run_derivatives.hpp"

namespace sinew {

/// The numbers that a run is differentiated by: values of controls at knots, and the start.
/// Each is a multiple of its scale, so that all are about one.
class RunParameters {
 public:
  using Interpolation = TimeFunction::Interpolation;

  /// Everything that is not a parameter stays as it is in `start` and in the system's schedule.
  RunParameters(const System& system, State start);

  /// Values of a control, as TimeFunction::Table joins them; one knot: a constant. The control's
  /// function and its feedback are replaced. Throws an Error for knots that do not ascend.
  void add_control(int control, std::vector<double> knots, Interpolation interpolation,
                   double scale);
  /// Entries of q and q̇ at the start. Throws an Error for systems with constraints, whose start is
  /// assembled.
  void add_start_q(int dof, double scale) { add_start(dof, scale); }
  void add_start_qdot(int dof, double scale) { add_start(system_.dof_count() + dof, scale); }

  int size() const { return size_; }
  void set(const VecX& p);
  const State& start() const { return start_; }
  const ControlSchedule& controls() const { return schedule_; }

  /// Adds the derivatives by the parameters, from those by the controls at t and by the start.
  void pull_back_controls(double t, const VecX& bar, VecX& out) const;
  void pull_back_start(const StateVectors& bar, VecX& out) const;
  /// Directions of the controls at t and of the start (q; q̇; z), a column for each parameter.
  void push_forward_controls(double t, MatX& columns) const;
  MatX start_directions() const;

 private:
  struct Knots {
    int control, first;
    std::vector<double> times;
    Interpolation interpolation;
    double scale;
    std::vector<TimeFunction> basis;  // one for each knot, of cubic ones

    /// Calls f(knot, ∂value/∂(value at the knot)) for those that matter at t.
    template <class F>
    void for_each_weight(double t, F&& f) const;
  };
  struct Start {
    int entry, parameter;
    double scale;
  };
  void add_start(int entry, double scale);

  const System& system_;
  State described_, start_;
  ControlSchedule schedule_;
  std::vector<Knots> knots_;
  std::vector<Start> starts_;
  int size_ = 0;
};

/// The objective and its gradient by the parameters: one run forwards and one back. Newton's effect
/// on the value is in `newton_error`. False if the run fails, with the place in run.failure().
struct ValueAndGradient {
  double value = 0;
  VecX gradient;
  double newton_error = 0;
};
bool differentiate(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
                   const VecX& p, ValueAndGradient& out);

}  // namespace sinew
