#include "sinew/analysis/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

/// `part` > 0 of `whole`: no end of it where there was nothing.
double part_of(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

}  // namespace

Audit::Audit(const System& system, const StepOptions& options, const State& start, Workspace& ws)
    : system_(system), options_(options) {
  initial_ = now_ = sinew::energy(system, start.t, start.q, start.qdot, ws);
  largest_kinetic_ = initial_.kinetic;
  lowest_potential_ = initial_.potential();
  largest_term_ = initial_.kinetic + std::abs(initial_.gravity) + initial_.elastic;
  check_paths(start.t, ws);
}

void Audit::check_paths(double t, Workspace& ws) {
  if (system_.muscles().empty()) return;
  const LostPath lost = find_lost_path(system_, ws);
  if (lost.muscle < 0) return;
  if (steps_without_path_++ > 0) return;
  lost_ = lost;
  lost_time_ = t;
}

void Audit::add_step(const State& state, const StepReport& report, Workspace& ws) {
  now_ = sinew::energy(system_, state.t, state.q, state.qdot, ws);
  work_ += report.work;
  work_done_on_ += std::max(0.0, report.work);
  lowest_potential_ = std::min(lowest_potential_, now_.potential());
  const auto grow = [](double& largest, double value) {
    // Not std::max: a NaN must stick.
    if (!(value <= largest) && !std::isnan(largest)) largest = value;
  };
  const double defect = now_.total() - initial_.total() - work_;
  grow(largest_defect_, std::abs(defect));
  grow(largest_gain_, defect);
  grow(largest_kinetic_, now_.kinetic);
  grow(largest_potential_change_, std::abs(now_.potential() - initial_.potential()));
  grow(largest_term_, now_.kinetic + std::abs(now_.gravity) + std::abs(now_.elastic));
  grow(largest_residual_, report.newton_residual);
  grow(largest_contact_residual_, report.contact_residual);
  grow(largest_violation_, report.constraint_error);
  check_paths(state.t, ws);
}

AuditReport Audit::report() const {
  AuditReport out;
  const double scale = largest_kinetic_ > 0 ? largest_kinetic_ : largest_potential_change_;
  // A body that hangs still has hardly any kinetic energy to divide by: what rounding does to E is
  // no error.
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * largest_term_;
  out.energy_error = largest_defect_ <= rounding ? 0 : part_of(largest_defect_, scale);
  // Contacts push bodies that lie still out of each other by a little.
  const double least = 1e-4 * (initial_.kinetic + std::abs(initial_.gravity) + initial_.elastic);
  const double lived_on =
      initial_.kinetic + initial_.potential() - lowest_potential_ + work_done_on_;
  out.energy_gain =
      largest_gain_ <= rounding ? 0 : part_of(largest_gain_, std::max(lived_on, least));
  out.newton_residual = largest_residual_;
  out.contact_residual = largest_contact_residual_;
  out.constraint_error = largest_violation_;
  out.steps_without_path = steps_without_path_;
  if (lost_.muscle >= 0) {
    out.lost_muscle = system_.muscles()[static_cast<size_t>(lost_.muscle)]->name();
    out.lost_status = lost_.status;
    out.lost_time = lost_time_;
  }

  // An absolute bound, where one was asked for, is met by every step that succeeds.
  const double residual_tolerance = options_.newton_residual > 0
                                        ? std::numeric_limits<double>::infinity()
                                        : std::max(kResidualTolerance, options_.newton_tolerance);

  if (failed_)
    out.verdict = "the run stopped before its end";
  else if (!std::isfinite(out.energy_error) || !std::isfinite(now_.total()))
    out.verdict = "energies are not finite";
  else if (out.newton_residual > residual_tolerance)
    out.verdict = fmt::format("a Newton residual of {:.2g} exceeds {:g}", out.newton_residual,
                              residual_tolerance);
  else if (!(out.contact_residual <= kContactTolerance))
    out.verdict = fmt::format("a residual of contacts of {:.2g} exceeds {:g}", out.contact_residual,
                              kContactTolerance);
  else if (options_.projection && !(out.constraint_error <= kConstraintTolerance))
    out.verdict = fmt::format("a constraint is violated by {:.2g}, more than {:g}",
                              out.constraint_error, kConstraintTolerance);
  else if (!out.lost_muscle.empty())
    out.verdict = fmt::format("muscle '{}' lost its path at t = {:g} s: {}", out.lost_muscle,
                              out.lost_time, name_of(out.lost_status));
  else if (is_energy_judged(options_.integrator) && out.energy_error > kEnergyTolerance)
    out.verdict =
        fmt::format("an energy error of {:.2g} exceeds {:g}", out.energy_error, kEnergyTolerance);
  else if (out.energy_gain > kGainTolerance)
    out.verdict = fmt::format(
        "energy came from nowhere, {:.2g} times what there was: the steps are too long for this "
        "integrator",
        out.energy_gain);
  out.passed = out.verdict.empty();
  if (out.passed) out.verdict = "passed";
  return out;
}

}  // namespace sinew
