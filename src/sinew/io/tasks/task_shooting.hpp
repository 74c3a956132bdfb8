#pragma once

#include "sinew/io/tasks/task_problem.hpp"
#include "sinew/math/shooting.hpp"

namespace sinew {

/// A task as a problem of multiple shooting: the run is cut into intervals of equal length, each
/// with a start of its own. Derivation in docs/theory/optimisation.md. Not for two threads at once.
///
/// The state of an interval is (q; q̇; z) without coordinates whose motion is prescribed, then the
/// knots that it shares with the interval before. Its controls are the knots that no interval
/// before it uses. The first interval has a fixed state, and where it starts are controls of it:
/// what follows from them is differentiated as in any run.
class TaskShooting {
 public:
  /// Throws an Error with the place in the task's file for tasks that cannot be cut like this.
  /// Keeps a reference to the problem, whose parameters it sets.
  TaskShooting(TaskProblem& problem, int intervals);

  int intervals() const { return intervals_; }
  double time(int interval) const;  ///< at which it starts [s]
  /// Refers to this.
  ShootingProblem problem();

  /// Where a search from p begins: with the states of a run with p, as far as it gets. Where that
  /// is not near a motion that is tracked, coordinates are where their targets are, with fibres in
  /// equilibrium.
  Trajectory guess(const VecX& p);
  /// From p and the states (q; q̇; z) at the starts of intervals, a column each, and back.
  Trajectory trajectory(const VecX& p, const MatX& states) const;
  VecX parameters(const Trajectory& at) const;
  MatX states(const Trajectory& at);

  /// Of the last interval without values, in words.
  const std::string& failure() const { return failure_; }

 private:
  struct Prescribed {
    int dof;
    TimeFunction f;
  };
  void find_prescribed();
  void divide_parameters();
  void require_restarts() const;

  int steps() const { return problem_.settings().steps / intervals_; }  ///< of an interval
  Eigen::Index motion_size() const { return static_cast<Eigen::Index>(free_.size()); }
  static VecX joined_motion(const State& state);
  /// (q; q̇; z) from the state of an interval, and back without what is prescribed.
  VecX full_state(int interval, const VecX& s) const;
  State start_of(int interval, const VecX& s) const;
  Bounds bounds_of_start() const;
  /// Activations and fibres within the limits beyond which their laws bend.
  Bounds bounds_of_states(int interval) const;
  Bounds bounds_of_controls(int interval) const;
  /// Moves tracked coordinates of (q; q̇; z) to their targets.
  void move_to_targets(int interval, VecX& x);
  /// z of Hill muscles in equilibrium where the coordinates are.
  void find_equilibrium(const VecX& p, VecX& x) const;

  bool evaluate(int interval, const VecX& s, const VecX& u, StageValues& values,
                StageJacobians* jacobians);
  /// As the state after a step of the whole run.
  Objective::At judged(int step, const State& state) {
    return {problem_.system(), state, step, problem_.settings().steps, run_.dt(), judge_};
  }
  /// Appends the residuals of a state of the interval.
  void add_residuals(int interval, int step, const State& state);
  /// Their derivatives by (s; u), from those of (q; q̇; z).
  void add_residual_rows(int interval, int step, const State& state, const MatX& columns);
  /// Derivatives of all controls by the parameters in (s; u).
  MatX control_directions(int interval, double t) const;
  /// Residuals of parameters that this interval is the first to use.
  void add_parameter_residuals(int interval);
  void add_parameter_rows(int interval);
  void differentiate_interval(int interval, StageJacobians& out);

  TaskProblem& problem_;
  int intervals_;
  RunDerivatives run_;
  Workspace judge_;
  std::vector<Prescribed> prescribed_;
  std::vector<Eigen::Index> free_;  // entries of (q; q̇; z) that are states
  // of each interval: parameters that it shares with the one before; that it is the first to use
  std::vector<std::vector<int>> carried_, introduced_;
  std::vector<int> starts_;        // parameters of the start
  VecX first_;                     // (q; q̇; z) where the task starts
  VecX p_;                         // of the present interval
  std::vector<double> residuals_;  // and its residuals
  std::vector<VecX> rows_;         // derivatives of each
  std::string failure_;
};

}  // namespace sinew
