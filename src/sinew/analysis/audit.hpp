#pragma once

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// What a run's audit found.
struct AuditReport {
  /// Largest |E − E₀ − W| over the largest kinetic energy (over the largest change of potential
  /// energy if nothing moves). E is all stored energy, W the work of all forces that store none.
  /// What an integrator loses is not work: it is what this measures.
  double energy_error = 0;
  /// Largest E − E₀ − W, what came from nowhere, over what the run had to live on: kinetic energy
  /// at the start, all that its potential energy fell by, all work done on it.
  double energy_gain = 0;
  double constraint_error =
      0;  ///< largest violation of a constraint [m or rad]; 0 where there are none
  double newton_residual = 0;   ///< largest of all steps, relative
  double contact_residual = 0;  ///< largest of all steps, of limits and contacts, relative
  /// Steps after which some muscle had no path (it is then drawn straight, which is wrong), and the
  /// first of them.
  long long steps_without_path = 0;
  std::string lost_muscle;  ///< empty where there was none
  SpanStatus lost_status = SpanStatus::free;
  double lost_time = 0;  ///< [s]
  bool passed = true;
  std::string verdict;  ///< in words: "passed", or what failed
};

/// Follows a run step by step and judges it at the end: finite, residuals within tolerance, every
/// muscle with a path, and for integrators that answer for their energy an energy error of at most
/// 1e-3. The others may lose some, or gain a little; ten times what there was is an unstable run.
class Audit {
 public:
  static constexpr double kEnergyTolerance = 1e-3;
  static constexpr double kGainTolerance = 10;
  /// Relative. Steps that stall at rounding stay well below it; a looser tolerance of the run's own
  /// counts instead.
  static constexpr double kResidualTolerance = 1e-8;
  /// Of constraints, where steps project to them [m or rad].
  static constexpr double kConstraintTolerance = 1e-8;

  /// Of the impulses of limits and contacts, relative.
  static constexpr double kContactTolerance = 1e-8;

  /// `start` is the state the run begins in.
  Audit(const System& system, const StepOptions& options, const State& start, Workspace& ws);

  /// To be called after every step that succeeded. Runs update.
  void add_step(const State& state, const StepReport& report, Workspace& ws);
  /// To be called if the run stopped for a failed step.
  void add_failure() { failed_ = true; }

  AuditReport report() const;

  const Energy& initial_energy() const { return initial_; }
  const Energy& energy() const { return now_; }  ///< after the last step
  double work() const { return work_; }          ///< since the start [J]

 private:
  void check_paths(double t, Workspace& ws);

  const System& system_;
  StepOptions options_;
  Energy initial_, now_;
  double work_ = 0;
  double largest_defect_ = 0, largest_kinetic_ = 0, largest_potential_change_ = 0;
  double largest_gain_ = 0, lowest_potential_ = 0, work_done_on_ = 0;
  double largest_term_ = 0;  ///< of those that E is the sum of: sets its rounding
  double largest_residual_ = 0;
  double largest_contact_residual_ = 0;
  double largest_violation_ = 0;
  long long steps_without_path_ = 0;
  LostPath lost_;
  double lost_time_ = 0;
  bool failed_ = false;
};

}  // namespace sinew
