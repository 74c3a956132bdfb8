#pragma once

#include <functional>
#include <optional>

#include "sinew/adjoint/model_derivatives.hpp"
#include "sinew/adjoint/passed_knots.hpp"
#include "sinew/integrate/simulate.hpp"

/// Derivatives of whole runs, of the numbers as computed: step by step, with the lengths of steps
/// as they were. Derivations in docs/theory/adjoint.md.

namespace sinew {

/// The run that is differentiated: steps of one length.
struct RunSettings {
  StepOptions step;
  double dt = 1e-3;  ///< [s]
  int steps = 1;
  /// Keeps about √steps states instead of the whole tape, and takes steps again on the way back.
  bool checkpoints = false;
};

/// The options with which a step is a function of its start alone, and of numbers that gradients
/// can pass: q̇ instead of energy variables, and projections along directions of their own.
StepOptions differentiable_options(StepOptions options);

/// Throws an Error that names the first thing in the system or the settings that gradients cannot
/// pass, and what to use instead.
void require_differentiable(const System& system, const RunSettings& settings);

/// Adjoints of a state, or a direction of it, and of the multipliers in the last stage before it.
struct StateVectors {
  VecX q, qdot, z, lambda;
  void set_zero(const System& system);
};

/// A number that a run is judged by: a sum over the states at its start and after its steps, of
/// which it sees t, q and q̇, and the multipliers of constraints.
class Objective {
 public:
  struct At {
    const System& system;
    const State& state;
    int step, steps;  ///< the number of the state, 0 at the start; of the steps
    double dt;        ///< [s]
    Workspace& ws;
    /// λ of the last stage of the step, whose reactions are −Gᵀλ; empty at the start.
    VecView lambda{nullptr, 0};
  };
  virtual ~Objective() = default;
  /// The state's share of it. Adds its derivatives to `bar`, unless that is null.
  virtual double evaluate(const At& at, StateVectors* bar) const = 0;
};

/// Receives the derivatives of the objective by the values of the controls at the time of a stage.
using ControlAdjoint = std::function<void(double t, const VecX& bar)>;
/// Writes the directions of the controls at a time: a row for each control, a column for each
/// parameter.
using ControlDirections = std::function<void(double t, MatX& columns)>;

/// A run, and its derivatives. Not for two threads at once.
class RunDerivatives {
 public:
  /// Throws as require_differentiable does. Keeps a reference to the system.
  RunDerivatives(const System& system, const RunSettings& settings);
  /// From now on of another system that is made of the same things, with steps of dt [s]. Throws as
  /// the constructor does.
  void use(std::shared_ptr<const System> system, double dt);
  /// Whether it is of this very system, not of one that was at the same address before.
  bool uses(const std::shared_ptr<const System>& system) const {
    return system == system_ && !system.owner_before(system_) && !system_.owner_before(system);
  }
  const System& system() const { return *system_; }
  double dt() const { return settings_.dt; }  ///< [s]

  /// Runs from `start`. Afterwards result() tells how it ended; derivatives are of a run that
  /// finished. Keeps references to both.
  bool run(const Controls& controls, const State& start, const Objective& objective);
  const SimulationResult& result() const { return result_; }
  /// Why and where the run failed, in words.
  std::string failure() const { return describe_failure(system(), result_, end_); }
  double value() const { return value_; }  ///< of the objective
  const State& end() const { return end_; }
  /// The most that tape and checkpoints took [bytes].
  size_t memory() const { return memory_; }

  struct Gradient {
    StateVectors start;   ///< by the start of the run
    StateVectors before;  ///< by the state before it, where the start's memory has one for bdf2
    /// By the parameters of the model, their effect on the start included, in units of their
    /// scales.
    VecX model;
    /// Σ |adjoint × residual| over the stages and the projections: what their tolerances do to the
    /// objective.
    double newton_error = 0;
  };
  /// The derivatives of the objective. `model`: those by parameters of the model, too; its middle
  /// is this system. Throws an Error naming a parameter that changes the run with a jump.
  const Gradient& gradient(const ControlAdjoint& controls, ModelDerivatives* model = nullptr);

  /// Elements whose law bends, and how often the last gradient or the last sensitivities passed
  /// such a kink: its derivative is right on either side, and the objective has a corner there.
  /// Also parameters of the model at which the equations bend.
  struct Kinks {
    std::string element;
    int count;
  };
  std::vector<Kinks> kinks() const;

  /// The derivatives of the states by parameters, in `start` at its start: those of q, then those
  /// of q̇, then those of z, a column for each parameter. Calls `on_state` with each state's number
  /// and derivatives; multipliers() are then those before this state. The parameters of `model`
  /// have these columns; `start` includes their effect on it. What bdf2 remembers of a state before
  /// the start stays. Throws as `gradient` does.
  using OnState = std::function<void(int step, const State& state, const MatX& columns)>;
  void sensitivities(const MatX& start, const ControlDirections& controls, const OnState& on_state,
                     ModelDerivatives* model = nullptr, std::span<const int> model_columns = {});
  /// λ of the last stage before a state, and its derivatives, a column for each parameter; empty at
  /// the start.
  struct Multipliers {
    VecX lambda;
    MatX columns;
  };
  const Multipliers& multipliers() const { return multipliers_; }

  /// Takes one step from `start`. The derivatives of its end by its start, and by controls that are
  /// constant during the step: x = (q; q̇; z), δx₁ = A δx + B δu. A start without memory: bdf2 takes
  /// its first step. False if the step fails; otherwise end() is where it ends.
  struct Transition {
    MatX A, B;
  };
  bool transition(const Controls& controls, const State& start, Transition& out);

 private:
  /// Takes the steps from number `first` to `last` and writes them to the tape; false if one fails.
  bool take_steps(int first, int last, State& state, StepTape* tape, const Objective* objective);
  void tape_segment(size_t segment);
  StepTape::Stage last_stage(size_t taped) const {
    return tape_.stage(taped, tape_.step(taped).table->stages - 1);
  }
  int segment_end(size_t segment) const;
  /// The state in which a step on the tape began, with its charts, and as it was before these
  /// moved; the one before it as it was remembered then. Of their memories nothing.
  void start_of(size_t taped, State& out) const;
  void arrival_at(size_t taped, State& out) const;
  void before(size_t taped, State& out) const;
  void end_of(size_t taped, State& out) const;
  /// The state after a step of the run, the last of these on the tape, with all of z.
  void state_after(int number, size_t taped, State& out);
  void update_stage(size_t taped, size_t stage, const State& start);
  void update_projection(size_t taped, const State& start);
  /// Entries of c_z that follow controls at the time of the stage; those that flow from the start,
  /// under the controls at half time.
  void update_flows(size_t taped, size_t stage, const State& start);
  /// ż of its stages; empty unless parameters move time.
  void update_internal_rates(size_t taped, const State& start);
  /// The derivatives of c_q, c_v and c_z of a stage by the length of the step, its own share of it
  /// included.
  void differentiate_by_length(size_t taped, size_t stage, MotionVectors& out) const;
  /// Forgets the pieces of other stages: a sweep through all of them begins.
  void restart_pieces();
  void note_kinks_of_model();
  /// Of all elements, at the stage of the last update_stage, and sides of surfaces, and knots that
  /// coordinates have passed since the neighbouring stage.
  void read_pieces(const StepTape::Stage& stage);
  /// The start of the run as one more stage, for knots alone. Whether forces jump on the way.
  bool passes_jump_at_start();
  bool loses_a_path() const;
  /// The first of sides_ that is not the one at the neighbouring stage; null if all are.
  const ChosenSide* turned_side() const;
  std::string element_of(size_t piece) const;
  /// The same, counted. Throws an Error for an element that has lost its place or changed its side,
  /// with the time at which the first did.
  void count_kinks(const StepTape::Stage& stage);
  void throw_first_jump();
  /// If the last read_pieces found that forces jump there.
  void throw_jump(double t) const;
  Objective::At judged(int number, const State& state, const System& system, double dt,
                       Workspace& ws) const;
  double judge(int number, const State& state, StateVectors* bar);
  void add_judgement_of_model(int number, const State& state);
  void pull_back_step(size_t taped, const ControlAdjoint& controls);
  void pull_back_model_stage(size_t taped, size_t stage);
  void pull_back_length(size_t taped, size_t stage);
  /// The parameter of the model that a column belongs to; −1: none.
  int model_parameter(Eigen::Index column) const;
  void push_forward_to_stage(size_t taped, size_t stage, MatX& c);
  void push_forward_step(size_t taped, const ControlDirections& controls, MatX& columns,
                         MatX& older);

  std::shared_ptr<const System> system_;
  RunSettings settings_;
  const Controls* controls_ = nullptr;
  const Objective* objective_ = nullptr;
  std::optional<Workspace> ws_;
  SimulationResult result_;
  State end_;
  double value_ = 0;
  size_t memory_ = 0, checkpoint_memory_ = 0;

  int stride_ = 1;                  // steps of a segment
  std::vector<State> checkpoints_;  // at the starts of the segments
  StepTape tape_;                   // of one segment
  std::vector<size_t> ends_;        // for each of its steps, the size of the tape after it
  size_t taped_segment_ = 0;

  std::optional<StageDerivatives> stage_;
  std::optional<ProjectionDerivatives> projection_;
  VecX u_, u_bar_, halfway_, halfway_bar_;
  std::vector<InternalFlow> follows_, flows_;
  std::vector<MotionVectors> bars_;  // of the stages
  std::vector<VecX> zdot_bars_;
  StateVectors older_, before_;  // adjoints of the state before the present one
  Gradient gradient_;
  Multipliers multipliers_;
  State from_, arrival_;  // of a step
  State retaken_;         // of a segment that is taken again
  State moved_;           // in systems with other parameters
  std::vector<ChartChange> chart_changes_;
  VecX z_bar_;
  // numbers of pieces at a stage and at the next, kinks of each; where those of parts end
  std::vector<int> pieces_, later_pieces_, kinks_;
  std::vector<size_t> piece_ends_;
  std::vector<ChosenSide> sides_, later_sides_;
  std::optional<PassedKnots> knots_;
  const PassedKnots::Jump* passed_jump_ = nullptr;  // on the way to this stage
  VecX expanded_q_, expanded_qdot_;

  // parameters of the model
  ModelDerivatives* model_ = nullptr;  // during gradient and sensitivities
  std::span<const int> model_columns_;
  std::vector<VecX> zdots_;  // of the stages of a step
  // adjoints that are handed to it: of a stage, a projection, the objective, the start
  VecX stage_adjoint_, projection_adjoint_, one_ = VecX::Ones(1), start_adjoint_;
  MotionVectors by_length_;
  std::vector<Kinks> model_kinks_;  // of the last sweep
};

}  // namespace sinew
