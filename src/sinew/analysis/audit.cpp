#include "sinew/analysis/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/integrate/integrator_table.hpp"

namespace sinew {
namespace {

/// Accepted gain, relative to the run's available energy, unless its settings give one: methods of
/// first order err by more in every step that is not very short.
double default_gain(Integrator integrator) { return info(integrator).order == 1 ? 0.1 : 0.05; }

/// `part` > 0 of `whole`: infinite if `whole` is zero.
double part_of(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

constexpr const char* kShorter = "choose a shorter step (--dt), or another --integrator";

}  // namespace

Audit::Audit(const System& system, const StepOptions& options, const Controls& controls,
             const State& start, Workspace& ws, double accepted_gain)
    : system_(system),
      options_(options),
      controls_(controls),
      values_(system.controls().size()),
      accepted_gain_(accepted_gain > 0 ? accepted_gain : default_gain(options.integrator)),
      t_(start.t),
      q_(start.q),
      watch_(system) {
  take_snapshot(system, start, SnapshotDetail::audit, ws, snapshot_);
  initial_ = now_ = snapshot_.energy;
  largest_kinetic_ = initial_.kinetic;
  lowest_potential_ = initial_.potential();
  largest_term_ = initial_.kinetic + std::abs(initial_.gravity) + initial_.elastic;
  check_paths(start, snapshot_, ws);
}

void Audit::check_paths(const State& state, const Snapshot& snapshot, Workspace& ws) {
  const PathJump jump = watch_.advance(state, snapshot.paths, ws);
  if (jump.muscle >= 0) {
    ++path_jumps_;
    if (std::abs(jump.change) > std::abs(jump_.change)) {
      jump_ = jump;
      jump_time_ = state.t;
    }
  }
  const LostPath lost = snapshot.lost_path();
  if (lost.muscle < 0) return;
  if (steps_without_path_++ > 0) return;
  lost_ = lost;
  lost_time_ = state.t;
}

/// Both Euler methods of velocity level evaluate forces at the start of a step, and use their power
/// there for the whole step: zero in a step from rest. The effect of these forces on the energy is
/// known better. Explicit: they act as at the start, at the mean velocity. Linearly implicit: as at
/// the end.
double Audit::work_of(const State& state, const StepReport& report, Workspace& ws) {
  const double other = report.work - report.one_sided_work;
  if (options_.integrator == Integrator::linearly_implicit_euler) {
    update_forces(system_, at_state(state, controls_, values_), ws);
    return other + report.h * ws.forces.power;
  }
  if (options_.integrator == Integrator::semi_implicit_euler) {
    State start = state;
    start.t = t_;
    start.q = q_;
    update_forces(system_, at_state(start, controls_, values_), ws);
    t_ = state.t;
    q_ = state.q;
    return other + 0.5 * (report.one_sided_work + report.h * ws.forces.power);
  }
  return report.work;
}

namespace {

void grow(double& largest, double value) {
  // Not std::max: a NaN must persist.
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

}  // namespace

void Audit::add_step(const State& state, const StepReport& report, Workspace& ws) {
  add_report(state, report, ws);
  take_snapshot(system_, state, SnapshotDetail::audit, ws, snapshot_);
  inspect(state, snapshot_, ws);
}

void Audit::add_report(const State& state, const StepReport& report, Workspace& ws) {
  const double work = work_of(state, report, ws);
  work_ += work;
  work_done_on_ += std::max(0.0, work);
  grow(largest_residual_, report.newton_residual);
  grow(largest_contact_residual_, report.contact_residual);
  grow(largest_violation_, report.constraint_error);
}

void Audit::inspect(const State& state, const Snapshot& snapshot, Workspace& ws) {
  now_ = snapshot.energy;
  lowest_potential_ = std::min(lowest_potential_, now_.potential());
  const double defect = now_.total() - initial_.total() - work_;
  grow(largest_defect_, std::abs(defect));
  grow(largest_gain_, defect);
  grow(largest_loss_, -defect);
  grow(largest_kinetic_, now_.kinetic);
  grow(largest_potential_change_, std::abs(now_.potential() - initial_.potential()));
  grow(largest_term_, now_.kinetic + std::abs(now_.gravity) + std::abs(now_.elastic));
  check_paths(state, snapshot, ws);
}

AuditReport Audit::report() const {
  AuditReport out;
  const double scale = largest_kinetic_ > 0 ? largest_kinetic_ : largest_potential_change_;
  // A body at rest has hardly any kinetic energy to divide by: the rounding of E is not an error.
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * largest_term_;
  out.energy_error = largest_defect_ <= rounding ? 0 : part_of(largest_defect_, scale);
  // Contacts push resting bodies slightly out of each other.
  const double least = 1e-4 * (initial_.kinetic + std::abs(initial_.gravity) + initial_.elastic);
  const double lived_on =
      std::max(least, initial_.kinetic + initial_.potential() - lowest_potential_ + work_done_on_);
  out.energy_gain = largest_gain_ <= rounding ? 0 : part_of(largest_gain_, lived_on);
  out.energy_loss = largest_loss_ <= rounding ? 0 : part_of(largest_loss_, lived_on);
  out.newton_residual = largest_residual_;
  out.contact_residual = largest_contact_residual_;
  out.constraint_error = largest_violation_;
  out.steps_without_path = steps_without_path_;
  if (lost_.muscle >= 0) {
    out.lost_muscle = system_.muscles()[static_cast<size_t>(lost_.muscle)]->name();
    out.lost_status = lost_.status;
    out.lost_time = lost_time_;
  }
  out.path_jumps = path_jumps_;
  if (jump_.muscle >= 0) {
    out.jumped_muscle = system_.muscles()[static_cast<size_t>(jump_.muscle)]->name();
    out.jump = jump_.change;
    out.jump_time = jump_time_;
  }
  judge(out);
  out.passed = out.verdict.empty();
  if (out.passed) out.verdict = "passed";
  return out;
}

void Audit::judge(AuditReport& out) const {
  // Every step that succeeds meets an absolute bound, if one was set, and its accuracy.
  const double residual_tolerance = options_.newton_residual > 0 || options_.accuracy > 0
                                        ? std::numeric_limits<double>::infinity()
                                        : std::max(kResidualTolerance, options_.newton_tolerance);
  const auto fail = [&](std::string verdict, std::string remedy) {
    out.verdict = std::move(verdict);
    out.remedy = std::move(remedy);
  };
  if (failed_)
    fail("the run stopped before its end", kShorter);
  else if (!std::isfinite(out.energy_error) || !std::isfinite(now_.total()))
    fail("energies are not finite", kShorter);
  else if (out.newton_residual > residual_tolerance)
    fail(fmt::format("a Newton residual of {:.2g} exceeds {:g}", out.newton_residual,
                     residual_tolerance),
         kShorter);
  else if (!(out.contact_residual <= kContactTolerance))
    fail(fmt::format("a residual of contacts of {:.2g} exceeds {:g}", out.contact_residual,
                     kContactTolerance),
         kShorter);
  else if (options_.projection && !(out.constraint_error <= kConstraintTolerance))
    fail(fmt::format("a constraint is violated by {:.2g}, more than {:g}", out.constraint_error,
                     kConstraintTolerance),
         kShorter);
  else if (!out.lost_muscle.empty())
    fail(fmt::format("muscle '{}' lost its path at t = {:g} s: {}", out.lost_muscle, out.lost_time,
                     name_of(out.lost_status)),
         "move the muscle's points or its surface, or keep the motion away from this pose");
  else if (!out.jumped_muscle.empty())
    fail(fmt::format(
             "{} at t = {:g} s{}", describe(system_, jump_), out.jump_time,
             out.path_jumps > 1 ? fmt::format(", the largest of {} jumps", out.path_jumps) : ""),
         "look at its wrap surfaces and conditional points in that pose; its force there is wrong");
  else if (info(options_.integrator).energy_judged && out.energy_error > kEnergyTolerance)
    fail(fmt::format("an energy error of {:.2g} exceeds {:g}", out.energy_error, kEnergyTolerance),
         kShorter);
  else if (out.energy_gain > accepted_gain_)
    fail(fmt::format("energy came from nowhere: {:.2g} times the energy available, more "
                     "than {:g}",
                     out.energy_gain, accepted_gain_),
         kShorter);
}

}  // namespace sinew
