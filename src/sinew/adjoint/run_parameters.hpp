#pragma once

#include "sinew/adjoint/run_derivatives.hpp"

namespace sinew {

/// The numbers that a run is differentiated by: values of controls at knots, the start, and
/// parameters of the model. Each is a multiple of its scale, so that all are about one.
class RunParameters {
 public:
  using Interpolation = TimeFunction::Interpolation;

  /// Everything that is not a parameter stays as it is in `start` and in the system's schedule.
  RunParameters(const System& system, State start);
  /// With parameters of the model: `build` makes system, start and step from their values, which
  /// are these at first. add_model must follow for each of them, in this order.
  RunParameters(BuildModel build, const VecX& values);

  /// Values of a control, as TimeFunction::Table joins them; one knot: a constant. The control's
  /// function and its feedback are replaced. Where a parameter of the model changes the length of
  /// steps, knots keep their share of the run. Throws an Error for knots that do not ascend.
  void add_control(int control, std::vector<double> knots, Interpolation interpolation,
                   double scale);
  /// Entries of q and q̇ at the start; internal state stays as it is. Where there are constraints
  /// all entries then move to meet them, as at the end of a step: light parts give way.
  void add_start_q(int dof, double scale) { add_start(dof, scale); }
  void add_start_qdot(int dof, double scale) { add_start(system().dof_count() + dof, scale); }
  /// The next of the model's parameters; `name` is for messages. Its scale is a length over which
  /// the model changes by about itself: differences are taken over 1e-4 of it.
  void add_model(std::string name, double scale);

  int size() const { return size_; }
  /// Builds the system anew if parameters of the model change. Throws as `build` does.
  void set(const VecX& p);
  const State& start() const { return start_; }
  const ControlSchedule& controls() const { return schedule_; }
  /// The present one; its step [s], 0 if that is the settings'.
  const System& system() const { return *model_.system; }
  const std::shared_ptr<const System>& shared_system() const { return model_.system; }
  double dt() const { return model_.dt; }

  bool has_model() const { return !model_columns_.empty(); }
  /// The systems around the present one; steps are of dt [s]. Builds them where that was not done
  /// since `set`. Null without parameters of the model.
  ModelDerivatives* model(double dt);
  /// The parameters that are the model's, in the order of add_model.
  std::span<const int> model_columns() const { return model_columns_; }

  /// Adds the derivatives by the parameters, from those by the controls at t and by the start.
  void pull_back_controls(double t, const VecX& bar, VecX& out) const;
  void pull_back_start(const StateVectors& bar, VecX& out) const;
  /// Directions of the controls at t and of the start (q; q̇; z), a column for each parameter. The
  /// second needs model().
  void push_forward_controls(double t, MatX& columns) const;
  MatX start_directions() const;

  /// The parameters that change some control between two times [s], ascending.
  std::vector<int> used_between(double from, double to) const;

 private:
  struct Knots {
    int control, first;
    std::vector<double> times;
    Interpolation interpolation;
    double scale;
    std::vector<TimeFunction> basis;  // one for each knot, of cubic ones

    /// Where the run begins at `start` and steps are `stretch` times as long as at first.
    std::vector<double> stretched(double start, double stretch) const;
    /// Calls f(knot, ∂value/∂(value at the knot)) for those that matter at t.
    template <class F>
    void for_each_weight(double t, F&& f) const;
    /// Whether a knot's value matters at some time between these.
    bool is_used(size_t knot, double from, double to) const;
  };
  struct Start {
    int entry, parameter;
    double scale;
  };
  void add_start(int entry, double scale);

  /// The controls of a system: its own, and the knots' values.
  ControlSchedule controls_of(const ModelAt& model) const;
  /// Before constraints moved it, and after.
  State wanted_start(const ModelAt& model) const;
  State start_of(const ModelAt& model) const;
  /// Whether the one differs from the other.
  bool moves_start() const { return !starts_.empty() && !system().constraints().empty(); }
  /// The derivatives of that move.
  ProjectionDerivatives start_projection() const;
  void require_steady_times(double dt) const;
  /// Time at first that corresponds to t.
  double unstretched(double t) const;

  BuildModel build_;
  ModelAt model_;
  VecX p_, values_;      // present ones; values of the model
  double first_dt_ = 0;  // step at first
  State start_;
  ControlSchedule schedule_;
  std::vector<Knots> knots_;
  std::vector<Start> starts_;
  std::vector<int> model_columns_;
  std::vector<ModelParameter> model_parameters_;
  std::unique_ptr<ModelDerivatives> derivatives_;
  double derivatives_dt_ = 0;  // step that they were made for [s]
  int size_ = 0;
};

/// Runs at p, in the system that p makes. False if the run fails, with the place in run.failure().
bool run_at(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
            const VecX& p);

/// The objective and its gradient by the parameters: one run forwards and one back. Newton's effect
/// on the value is in `newton_error`. False if the run fails.
struct ValueAndGradient {
  double value = 0;
  VecX gradient;
  double newton_error = 0;
};
bool differentiate(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
                   const VecX& p, ValueAndGradient& out);

}  // namespace sinew
