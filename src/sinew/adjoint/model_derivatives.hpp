#pragma once

#include <array>
#include <functional>
#include <optional>

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

  /// `middle` is build(values), with a step. Keeps `build` and `controls`: closer neighbours are
  /// built when a stage asks for them. Throws an Error naming a parameter that cannot be moved both
  /// ways, or changes what the system is made of.
  ModelDerivatives(BuildModel build, MakeControls controls, const ModelAt& middle,
                   const VecX& values, std::vector<ModelParameter> parameters);

  int size() const { return static_cast<int>(parameters_.size()); }
  const std::string& name(int k) const { return parameters_[static_cast<size_t>(k)].name; }

  /// Derivatives of f(neighbour, out) by all parameters, in units of their scales: a column each
  /// with `rows` entries. Where nothing but the start differs, f is not evaluated, and the column
  /// is zero. Where f is curved over the neighbours, closer ones are taken. An entry that bends
  /// between two neighbours is differentiated on the side of the middle.
  template <class F>
  void differentiate(Eigen::Index rows, F&& f) {
    take_columns(rows, f, kinks_);
  }
  auto columns() const { return columns_.topRows(used_); }
  /// How often an entry bent: at the start, and in the calls since begin_sum.
  int kinks(int k) const {
    return kinks_[static_cast<size_t>(k)] + start_kinks_[static_cast<size_t>(k)];
  }

  /// Sums of adjoints times columns, over a run: `out` grows by them. Throws an Error naming the
  /// parameter and the time if entries jump, once all are known.
  void begin_sum();
  void add_to_sum(double t, const ConstVecRef& adjoint, VecX& out);
  /// `value`: the size of what is differentiated, against which jumps are small or not.
  void require_smooth(double value) const;
  /// The same without adjoints: after each update_stage, and once all are known. Jumps are compared
  /// with the largest sum of changes.
  void note_jumps(double t);
  void require_smooth_stages() const;

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
  auto stage_c_z() const { return columns_.middleRows(n_ + rows_ + z_, z_); }

  /// Of the four equations of the projection at the end of a step (ProjectionDerivatives).
  void update_projection(const ProjectionDerivatives& projection, const StepTape::Stage& stage,
                         const State& start);

 private:
  static constexpr size_t kNodes = 4;
  static constexpr Eigen::Index kMiddle = 2;  // its column among those of the nodes
  static constexpr double kStep = 0x1p-13, kShortStep = 0x1p-17, kShortestStep = 0x1p-21;
  /// Third differences over first ones: curved above the first, perhaps bent above the second.
  static constexpr double kCurved = 1e-6, kBent = 3e-3;
  /// Of one parameter.
  struct Neighbours {
    double step;  ///< between two of them, in units of the scale
    std::array<Neighbour, kNodes> node;
  };
  struct Differences {
    bool curved;  ///< over more than suits the step
    bool bent;    ///< somewhere between two nodes
  };
  static Eigen::Index column_of(size_t node) {
    return static_cast<Eigen::Index>(node < 2 ? node : node + 1);
  }
  /// Columns with that many entries, at first zero.
  void begin_columns(Eigen::Index rows);
  VecRef values(Eigen::Index column) { return values_.col(column).head(used_); }
  auto jumps(int k) const { return jumps_.col(k).head(used_); }
  /// Column k from the values at its nodes. Leaves in suspects_ the entries whose third differences
  /// exceed this part of the first ones, or that may bend.
  Differences take_differences(int k, double step, double suspicious);
  /// The suspects alone, from closer nodes. Whether an entry bends.
  bool take_suspects(int k, double step);
  /// `kinks`: where it counts bends, for each parameter.
  template <class F>
  void take_columns(Eigen::Index rows, F&& f, std::vector<int>& kinks) {
    begin_columns(rows);
    bool begun = false;
    for (int k = 0; k < size(); ++k) {
      if (neighbours_[static_cast<size_t>(k)].node[0].ws == nullptr) continue;
      if (!begun) f(middle_, values(kMiddle));
      begun = true;
      kinks[static_cast<size_t>(k)] += take_column(k, kCurved, f);
    }
  }
  /// Column k of f, from closer neighbours where it is curved. Whether an entry bends.
  template <class F>
  bool take_column(int k, double suspicious, F&& f) {
    const auto evaluate = [&](const Neighbours& of) {
      for (size_t node = 0; node < kNodes; ++node) f(of.node[node], values(column_of(node)));
    };
    const Neighbours* of = &neighbours_[static_cast<size_t>(k)];
    evaluate(*of);
    Differences found = take_differences(k, of->step, suspicious);
    if (found.curved && of->step > kShortStep) {
      of = &closer(k, kShortStep, closer_);
      evaluate(*of);
      found = take_differences(k, of->step, suspicious);
    }
    if (suspects_.empty() || of->step <= kShortestStep) return found.bent;
    of = &closer(k, kShortestStep, closest_);
    evaluate(*of);
    return take_suspects(k, of->step);
  }
  /// At this distance, or a shorter one if that makes no sense.
  Neighbours find_neighbours(int k, double step) const;
  Neighbours build_neighbours(int k, double step) const;
  const Neighbours& closer(int k, double step, std::vector<std::optional<Neighbours>>& known);
  void differentiate_start(int k);
  /// Whether the equations at the start are curved over the neighbours of a parameter.
  bool is_curved(int k);
  void require_same_structure(const ModelAt& at, int k) const;
  [[noreturn]] void throw_jump(int k) const;
  /// The controls of a neighbour at the time that corresponds to t.
  void evaluate_controls(const Neighbour& of, const State& start, double t, VecX& out) const;
  void evaluate_stage(const Neighbour& of, const StepTape::Stage& stage, const State& start,
                      double beta, VecRef out);

  BuildModel build_;
  MakeControls controls_;
  VecX values_of_model_;
  std::vector<ModelParameter> parameters_;
  Neighbour middle_;
  std::vector<Neighbours> neighbours_;
  std::vector<std::optional<Neighbours>> closer_, closest_;  // those that were needed
  MatX start_;
  VecX dt_;
  bool moves_time_ = false;
  double run_start_ = 0;  // [s]
  Eigen::Index n_, rows_, z_;
  Eigen::Index used_ = 0;  // rows in use of the next three, which only grow
  MatX columns_, jumps_, values_;
  VecX total_, jump_, jump_time_, sum_;
  MatX stage_total_, stage_jump_;  // as columns_, of note_jumps
  std::vector<int> kinks_, start_kinks_, not_counted_;
  // entries that may bend: their third differences, of nodes this far apart
  std::vector<Eigen::Index> suspects_;
  VecX thirds_;
  double suspect_step_ = 0;
  VecX u_, halfway_, c_z_, g_, at_rest_, zero_, scaled_, lambda_;
};

}  // namespace sinew
