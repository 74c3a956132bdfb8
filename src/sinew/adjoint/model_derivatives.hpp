#pragma once

#include <array>
#include <functional>

#include "sinew/adjoint/stage_derivatives.hpp"

/// Derivatives by parameters of the model: masses, lengths, strengths, whatever a description of a
/// system holds. No element tells how it depends on them. Systems are built anew with a parameter
/// moved a little, and the equations of each stage are evaluated in all of them at the solution of
/// the run. Derivations in docs/theory/adjoint.md, reasons in docs/decisions/0016.

namespace sinew {

/// A pointer to a system that somebody else keeps.
inline std::shared_ptr<const System> not_owned(const System& system) {
  return {std::shared_ptr<const System>(), &system};
}

/// A system and the run that begins in it, as some values of the model's parameters make them.
struct ModelAt {
  std::shared_ptr<const System> system;
  State start;    ///< solved to rounding: see exact_start
  double dt = 0;  ///< length of steps [s]; 0: that of the settings
};
/// Makes it from the values of all parameters of the model. Throws an Error for values that make no
/// sense. If only the start or the step differs from the last one, it may return the same system.
using BuildModel = std::function<ModelAt(const VecX& values)>;

struct ModelParameter {
  std::string name;  ///< for messages
  double scale;      ///< a parameter of a run is a multiple of it
};

/// The systems beside one, and differences between them. Not for two threads at once.
class ModelDerivatives {
 public:
  /// One of them, with the controls that drive it.
  struct Neighbour {
    ModelAt at;
    ControlSchedule controls;
    std::unique_ptr<Workspace> ws;  ///< null: nothing but the start differs from the middle
    double stretch = 1;             ///< of time, since the start of the run
    /// The time there that corresponds to t in the middle.
    double time(double start, double t) const { return start + stretch * (t - start); }
  };
  /// Makes the controls of a model, where knots move along with the length of steps.
  using MakeControls = std::function<ControlSchedule(const ModelAt&)>;

  /// `middle` is build(values), with a step. Throws an Error naming a parameter that cannot be
  /// moved both ways, or changes what the system is made of.
  ModelDerivatives(const BuildModel& build, const MakeControls& controls, const ModelAt& middle,
                   const VecX& values, std::vector<ModelParameter> parameters);

  int size() const { return static_cast<int>(parameters_.size()); }
  const std::string& name(int k) const { return parameters_[static_cast<size_t>(k)].name; }

  /// Derivatives of f(neighbour, out) by all parameters, in units of their scales: a column each
  /// with `rows` entries. `check` is the difference between two estimates of lower order: small
  /// against the columns, unless f jumps or bends. Where nothing but the start differs, f is not
  /// evaluated, and the column is zero.
  template <class F>
  void differentiate(Eigen::Index rows, F&& f) {
    columns_.resize(rows, size());
    check_.resize(rows, size());
    value_.resize(rows);
    for (int k = 0; k < size(); ++k) {
      begin(k);
      for (size_t node = 0; node < kNodes; ++node) {
        const Neighbour& neighbour = neighbours_[kNodes * static_cast<size_t>(k) + node];
        if (neighbour.ws == nullptr) continue;
        f(neighbour, VecRef(value_));
        add(k, node);
      }
    }
  }
  const MatX& columns() const { return columns_; }

  /// Sums of adjoints times columns, over a run: `out` grows by them. Throws an Error naming the
  /// parameter and the time where they jump or bend, once all are known.
  void begin_sum() {
    total_.setZero(size());
    doubt_.setZero(size());
    worst_.setZero(size());
    worst_time_.setZero(size());
  }
  void add_to_sum(double t, const VecX& adjoint, VecX& out);
  /// `value`: the size of what is differentiated, against which rounding is small.
  void require_smooth(double value) const;

  /// Of the start (q; q̇; z).
  const MatX& start() const { return start_; }
  /// Of the length of steps [s].
  const VecX& dt() const { return dt_; }
  bool moves_time() const { return moves_time_; }

  /// Of a stage of a step that began at `start`: blocks for the residual g of the equations, that
  /// of the rows, z at the end of the stage and c_z at its start.
  void update_stage(const StepTape::Stage& stage, const State& start, double beta);
  auto stage_g() const { return columns_.topRows(n_); }
  auto stage_rows() const { return columns_.middleRows(n_, rows_); }
  auto stage_z() const { return columns_.middleRows(n_ + rows_, z_); }
  auto stage_c_z() const { return columns_.bottomRows(z_); }

  /// Of the four equations of the projection at the end of a step (ProjectionDerivatives).
  void update_projection(const ProjectionDerivatives& projection, const StepTape::Stage& stage,
                         const State& start);

 private:
  static constexpr size_t kNodes = 4;
  void begin(int k);
  void add(int k, size_t node);
  void find_neighbours(const BuildModel& build, const MakeControls& controls, const VecX& values,
                       int k);
  void require_same_structure(const ModelAt& at, int k) const;
  /// The controls of a neighbour at the time that corresponds to t.
  void evaluate_controls(const Neighbour& of, const State& start, double t, VecX& out) const;

  std::vector<ModelParameter> parameters_;
  ModelAt middle_;
  std::vector<Neighbour> neighbours_;  // kNodes for each parameter
  std::vector<double> step_;           // between two of them, in units of the scale
  MatX start_;
  VecX dt_;
  bool moves_time_ = false;
  double run_start_ = 0;  // [s]
  Eigen::Index n_, rows_, z_;
  MatX columns_, check_;
  VecX total_, doubt_, worst_, worst_time_, sum_;
  VecX value_, u_, halfway_, c_z_, g_, at_rest_, zero_, scaled_, lambda_;
};

}  // namespace sinew
