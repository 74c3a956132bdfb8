#pragma once

#include "sinew/analysis/path_jumps.hpp"
#include "sinew/analysis/snapshot.hpp"
#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// The result of a run's audit.
struct AuditReport {
  /// Largest |E − E₀ − W| over the largest kinetic energy (over the largest change of potential
  /// energy if nothing moves). E is all stored energy, W the work of all forces that store none.
  /// Energy that an integrator loses is not work: this measures it.
  double energy_error = 0;
  /// Largest E − E₀ − W, energy from nowhere, over the run's available energy: kinetic energy at
  /// the start, the total fall of its potential energy, all work done on it.
  double energy_gain = 0;
  /// Largest E₀ + W − E over the same: the energy that the integrator removed.
  double energy_loss = 0;
  double constraint_error =
      0;  ///< largest violation of a constraint [m or rad]; 0 if there are none
  double newton_residual = 0;   ///< largest of all steps, relative
  double contact_residual = 0;  ///< largest of all steps for limits and contacts, relative
  /// Steps after which some muscle had no path (it is then drawn straight, which is wrong), and the
  /// first of them.
  long long steps_without_path = 0;
  std::string lost_muscle;  ///< empty if there was none
  SpanStatus lost_status = SpanStatus::free;
  double lost_time = 0;  ///< [s]
  /// Steps in which the length of some muscle's path was not continuous, and the largest of these
  /// jumps.
  long long path_jumps = 0;
  std::string jumped_muscle;  ///< empty if there was none
  double jump = 0;            ///< change of its length [m]
  double jump_time = 0;       ///< [s]
  bool passed = true;
  std::string verdict;  ///< in words: "passed", or the failure
  std::string remedy;   ///< advice; empty if it passed
};

/// Follows a run step by step and judges it at the end: finite, residuals within tolerance, every
/// muscle with a path that does not jump, and an energy that does not grow by itself. Integrators
/// that answer for their energy may not lose any, either.
class Audit {
 public:
  static constexpr double kEnergyTolerance = 1e-3;
  /// Relative. Steps that stall at rounding stay well below it; a looser tolerance of the run
  /// itself counts instead.
  static constexpr double kResidualTolerance = 1e-8;
  /// Tolerance of constraints if steps project to them [m or rad].
  static constexpr double kConstraintTolerance = 1e-8;
  /// Tolerance of the impulses of limits and contacts, relative.
  static constexpr double kContactTolerance = 1e-8;

  /// `start` is the state the run begins in. `accepted_gain` as in SimulationSettings. Controls are
  /// the system's own, unless others are given.
  Audit(const System& system, const StepOptions& options, const State& start, Workspace& ws,
        double accepted_gain = 0)
      : Audit(system, options, system.controls(), start, ws, accepted_gain) {}
  Audit(const System& system, const StepOptions& options, const Controls& controls,
        const State& start, Workspace& ws, double accepted_gain = 0);

  /// To be called after every step that succeeded.
  void add_step(const State& state, const StepReport& report, Workspace& ws);
  /// add_step is both of these. The first is for every step; the second looks at energies and paths
  /// now, by a snapshot of the state.
  void add_report(const State& state, const StepReport& report, Workspace& ws);
  void inspect(const State& state, const Snapshot& snapshot, Workspace& ws);
  /// To be called if the run stopped for a failed step.
  void add_failure() { failed_ = true; }

  AuditReport report() const;

  const Energy& initial_energy() const { return initial_; }
  const Energy& energy() const { return now_; }  ///< after the last step
  double work() const { return work_; }          ///< since the start [J]
  /// The energy gain that the run may show.
  double accepted_gain() const { return accepted_gain_; }

 private:
  void check_paths(const State& state, const Snapshot& snapshot, Workspace& ws);
  double work_of(const State& state, const StepReport& report, Workspace& ws);
  void judge(AuditReport& out) const;

  const System& system_;
  StepOptions options_;
  const Controls& controls_;
  VecX values_;  ///< of the controls
  Snapshot snapshot_;
  double accepted_gain_;
  Energy initial_, now_;
  double t_;  ///< end of the last step of semi-implicit Euler
  VecX q_;
  double work_ = 0;
  double largest_defect_ = 0, largest_kinetic_ = 0, largest_potential_change_ = 0;
  double largest_gain_ = 0, largest_loss_ = 0, lowest_potential_ = 0, work_done_on_ = 0;
  double largest_term_ = 0;  ///< largest term of the sum E: sets its rounding
  double largest_residual_ = 0;
  double largest_contact_residual_ = 0;
  double largest_violation_ = 0;
  long long steps_without_path_ = 0, path_jumps_ = 0;
  LostPath lost_;
  double lost_time_ = 0;
  PathWatch watch_;
  PathJump jump_;
  double jump_time_ = 0;
  bool failed_ = false;
};

}  // namespace sinew
