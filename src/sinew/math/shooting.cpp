#include "sinew/math/shooting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "sinew/core/error.hpp"
#include "sinew/math/anderson.hpp"
#include "sinew/math/shooting_program.hpp"

namespace sinew {
namespace {

/// Part of the decrease of the model that a step must reach, from the largest merit of as many
/// iterates: a single one would refuse good steps along curved constraints (Maratos 1978).
constexpr double kSufficient = 1e-4;
constexpr size_t kMemory = 4;
/// After so many iterations that gain nothing over the best, steps are made shorter for good: where
/// the curvature that Gauss–Newton leaves out is larger than what it has, they go to and fro across
/// a valley for ever.
constexpr int kPatience = 4;
constexpr double kGain = 1e-3;  // of the decrease that the model promised at the best
constexpr double kFirstFloor = 1e-2, kLastFloor = 10;
constexpr double kShortestStep = 1e-4;
/// Proximal weights: the first after a step that was too long, and the last that makes sense.
constexpr double kFirstProximal = 1e-3, kLastProximal = 1e8;
/// Decreases below this part of the merit are lost in rounding.
constexpr double kMeritRounding = 1e-13;
constexpr int kIdle = 10;    // iterations in a row like that
constexpr int kClosing = 5;  // steps at the end that only close gaps
/// Iterates that slow convergence is seen from, and the growth of steps that refutes what was seen.
constexpr int kSlowMemory = 6;
constexpr double kRefuted = 2;
constexpr double kPart = 0.2;   // of an extrapolation that was refused
constexpr double kLent = 1e-3;  // of the merit

/// What a trajectory is judged by.
struct Judged {
  double value = 0, excess = 0;  // ½ Σ |r|²; Σ of states beyond their bounds
  std::vector<VecX> gaps;        // F_k − s_{k+1}
};

class ShootingRun {
 public:
  ShootingRun(const ShootingProblem& problem, const ShootingOptions& options,
              const Trajectory& start)
      : problem_(problem),
        options_(options),
        stages_(start.controls.size()),
        values_(stages_ + 1),
        trial_values_(stages_ + 1),
        jacobians_(stages_ + 1),
        trial_jacobians_(stages_ + 1),
        program_(problem, stages_) {
    check(start);
    static_cast<Trajectory&>(out_) = start;
    clamp(out_);
    for (size_t k = 0; k < stages_; ++k)
      gap_weights_.push_back(VecX::Zero(start.states[k + 1].size()));
  }

  ShootingResult solve(const OnShooting& on_iteration) {
    search(on_iteration);
    if (out_.end == MinimizeEnd::evaluations || out_.end == MinimizeEnd::stalled) close_gaps();
    return out_;
  }

 private:
  void search(const OnShooting& on_iteration) {
    out_.proximal = floor_ = options_.proximal;
    ++out_.evaluations;
    if (!evaluate(out_, values_, &jacobians_)) return;
    now_ = judge(out_, values_);
    program_.set_price(std::max(1.0, 10 * now_.value));
    int idle = 0;
    for (;;) {
      update_measures();
      out_.end = MinimizeEnd::stalled;
      if (!solve_program()) return;
      if (out_.gradient_norm <= options_.gradient_tolerance && out_.gap <= options_.gap_tolerance) {
        const bool met = out_.excess <= options_.gap_tolerance;
        out_.end = met ? MinimizeEnd::converged : MinimizeEnd::infeasible;
        return;
      }
      out_.end = MinimizeEnd::stopped;
      if (on_iteration && !on_iteration(out_)) return;
      out_.end = MinimizeEnd::evaluations;
      if (out_.iterations >= options_.iterations) return;
      out_.end = MinimizeEnd::stalled;
      if (!advance()) return;
      idle = lost_ ? idle + 1 : 0;
      if (idle == kIdle) return;
      ++out_.iterations;
    }
  }

  /// A search that has not converged ends with a trajectory in one piece all the same: the shortest
  /// full steps that close its gaps, while they do.
  void close_gaps() {
    for (int k = 0; k < kClosing && out_.gap > options_.gap_tolerance; ++k) {
      out_.proximal = kLastProximal;
      if (!solve_program() || !try_step(step_)) return;
      double left = 0;
      for (const VecX& gap : trial_judged_.gaps) left = std::max(left, largest_entry(gap));
      if (!(left < out_.gap) || !take(1)) return;
      update_measures();
    }
  }

  void check(const Trajectory& start) const {
    if (start.states.size() != stages_ + 1 || problem_.states.size() != stages_ + 1 ||
        problem_.controls.size() != stages_)
      throw Error("multiple shooting", "numbers of states, controls and bounds do not fit",
                  "give a state more than there are controls, and bounds for each");
    for (size_t k = 0; k <= stages_; ++k)
      problem_.states[k].check(start.states[k].size(), fmt::format("bounds of state {}", k));
    for (size_t k = 0; k < stages_; ++k)
      problem_.controls[k].check(start.controls[k].size(), fmt::format("bounds of controls {}", k));
  }

  /// What is within bounds at all times.
  void clamp(Trajectory& at) const {
    problem_.states[0].clamp(at.states[0]);
    for (size_t k = 0; k < stages_; ++k) problem_.controls[k].clamp(at.controls[k]);
  }

  bool evaluate(const Trajectory& at, std::vector<StageValues>& values,
                std::vector<StageJacobians>* jacobians) {
    for (size_t k = 0; k <= stages_; ++k) {
      const bool last = k == stages_;
      StageValues& v = values[k];
      StageJacobians* J = jacobians ? &(*jacobians)[k] : nullptr;
      bool valid =
          problem_.stage(static_cast<int>(k), at.states[k], last ? VecX() : at.controls[k], v, J);
      valid = valid && v.residuals.allFinite() && (last || v.end.allFinite());
      if (valid && J)
        valid = J->Rs.allFinite() &&
                (last || (J->A.allFinite() && J->B.allFinite() && J->Ru.allFinite()));
      if (valid) continue;
      ++out_.rejected;
      out_.failed_stage = static_cast<int>(k);
      return false;
    }
    return true;
  }

  Judged judge(const Trajectory& at, const std::vector<StageValues>& values) const {
    Judged judged;
    for (size_t k = 0; k <= stages_; ++k) {
      judged.value += 0.5 * values[k].residuals.squaredNorm();
      if (k > 0) judged.excess += sum_of_excess(problem_.states[k], at.states[k]);
      if (k < stages_) judged.gaps.push_back(values[k].end - at.states[k + 1]);
    }
    return judged;
  }

  double weighted_gaps(const Judged& judged) const {
    double sum = 0;
    for (size_t k = 0; k < stages_; ++k) sum += gap_weights_[k].dot(judged.gaps[k].cwiseAbs());
    return sum;
  }
  double merit(const Judged& judged) const {
    return judged.value + program_.price() * judged.excess + weighted_gaps(judged);
  }

  void update_measures() {
    out_.value = now_.value;
    out_.gap = out_.excess = 0;
    for (size_t k = 0; k < stages_; ++k) {
      const double gap = largest_entry(now_.gaps[k]);
      if (gap > out_.gap) {
        out_.gap = gap;
        out_.gap_stage = static_cast<int>(k);
      }
      const VecX& s = out_.states[k + 1];
      const Bounds& bounds = problem_.states[k + 1];
      for (Eigen::Index i = 0; i < s.size(); ++i) {
        const double excess = std::max(bounds.lower_of(i) - s[i], s[i] - bounds.upper_of(i));
        if (!(excess > out_.excess)) continue;
        out_.excess = excess;
        out_.excess_stage = static_cast<int>(k + 1);
        out_.excess_entry = static_cast<int>(i);
      }
    }
  }

  bool solve_program() {
    const std::vector<Eigen::VectorXi> before = program_.solution().active.at;
    if (!program_.solve({out_, values_, jacobians_, now_.gaps}, out_.proximal,
                        0.1 * options_.gap_tolerance))
      return false;
    const LqSolution& solution = program_.solution();
    out_.programs = program_.recursions();
    out_.multipliers = solution.multipliers;
    out_.state_multipliers = solution.x_multipliers;
    out_.control_multipliers = solution.u_multipliers;
    out_.control_multipliers.resize(stages_);
    // Where all residuals vanish, so do the terms: then the slope at the start is the measure.
    const ShootingProgram::Stationarity at = program_.stationarity();
    if (out_.iterations == 0) first_slope_ = at.slopes;
    const double terms = std::max({first_slope_, at.slopes, at.multipliers});
    out_.gradient_norm = terms > 0 ? at.gradient / terms : 0;

    const VecX step = joined(solution.x, solution.u);
    if (before != solution.active.at || out_.step < 1 || step.norm() > kRefuted * step_.norm())
      slow_.clear();
    step_ = step;
    slow_.add(joined(out_.states, out_.controls), step_);
    return true;
  }

  /// Weights of gaps in the merit: above the multipliers, by the rule of Powell (1978).
  void update_gap_weights() {
    for (size_t k = 0; k < stages_; ++k) {
      const VecX needed = 1.5 * program_.solution().multipliers[k + 1].cwiseAbs();
      gap_weights_[k] = needed.cwiseMax(0.5 * (gap_weights_[k] + needed));
    }
  }

  /// Takes a step, or a part of it; if none is short enough, solves again with a larger weight of
  /// its square. False if that does not help either.
  bool advance() {
    for (;;) {
      update_gap_weights();
      const double decrease = program_.slope() + weighted_gaps(now_) +
                              program_.price() * (now_.excess - program_.excess());
      const double merit_now = merit(now_);
      lost_ = decrease <= kMeritRounding * std::abs(merit_now);
      if (!lost_ && lose_patience(merit_now, decrease)) {
        if (!solve_program()) return false;
        continue;
      }
      double reference = merit_now;
      for (const Judged& earlier : earlier_) reference = std::max(reference, merit(earlier));
      const auto good = [&](double length) {
        return lost_ || merit(trial_judged_) <= reference - kSufficient * length * decrease;
      };
      for (const double part : {1.0, kPart})
        if (!slow_.empty() && try_step(step_ + part * (slow_.extrapolated() - step_)) &&
            (good(1) || lend(reference)) && take(1))
          return true;
      for (double length = 1; length >= kShortestStep;) {
        const bool valid = try_step(length * step_);
        if (valid && good(length) && take(length)) return true;
        length *= valid ? 0.5 : 0.25;
      }
      out_.proximal = std::max(kFirstProximal, 10 * out_.proximal);
      out_.step = 0;
      if (out_.proximal > kLastProximal || !solve_program()) return false;
    }
  }

  /// Raises the least weight of the squares of a step where no step gains over the best for long.
  /// Returns whether it did.
  bool lose_patience(double merit_now, double decrease) {
    if (!best_ || merit_now < merit(*best_) - kGain * best_decrease_) {
      best_ = now_;
      best_decrease_ = decrease;
      waited_ = 0;
    } else if (++waited_ == kPatience && floor_ < kLastFloor) {
      floor_ = std::max(kFirstFloor, 10 * floor_);
      out_.proximal = std::max(out_.proximal, floor_);
      best_.reset();
      return true;
    }
    return false;
  }

  /// Extrapolation opens gaps of second order, which the next step closes: a little is lent, and
  /// must be paid back before more is.
  bool lend(double reference) {
    if (debt_ && merit(now_) > merit(*debt_)) return false;
    if (!(merit(trial_judged_) <= reference + kLent * std::abs(reference))) return false;
    debt_ = now_;
    return true;
  }

  bool try_step(const VecX& step) {
    trial_ = out_;
    add_joined(step, trial_);
    clamp(trial_);
    ++out_.evaluations;
    if (!evaluate(trial_, trial_values_, nullptr)) return false;
    trial_judged_ = judge(trial_, trial_values_);
    return true;
  }

  bool take(double length) {
    if (!evaluate(trial_, trial_values_, &trial_jacobians_)) return false;
    earlier_.push_back(now_);
    if (earlier_.size() >= kMemory) earlier_.pop_front();
    std::swap(static_cast<Trajectory&>(out_), trial_);
    std::swap(values_, trial_values_);
    std::swap(jacobians_, trial_jacobians_);
    now_ = judge(out_, values_);
    out_.step = length;
    if (length == 1) {
      out_.proximal = std::max(floor_, out_.proximal / 5);
    } else if (length <= 0.25) {
      out_.proximal = std::max(kFirstProximal, 5 * out_.proximal);
    }
    return true;
  }

  const ShootingProblem& problem_;
  const ShootingOptions& options_;
  size_t stages_;
  ShootingResult out_;
  Trajectory trial_;
  std::vector<StageValues> values_, trial_values_;
  std::vector<StageJacobians> jacobians_, trial_jacobians_;
  Judged now_, trial_judged_;
  std::deque<Judged> earlier_;
  std::optional<Judged> best_;  // merit, and what the model promised there
  double best_decrease_ = 0;
  int waited_ = 0;              // iterations since then
  double floor_ = 0;            // of the proximal weight
  std::optional<Judged> debt_;  // the merit to get back to
  ShootingProgram program_;
  VecX step_;  // of the program: states, then controls
  AndersonMemory slow_{kSlowMemory};
  std::vector<VecX> gap_weights_;
  double first_slope_ = 0;  // largest derivative of the value at the start
  bool lost_ = false;       // the last decrease was below rounding
};

}  // namespace

std::string describe(const ShootingResult& result) {
  const std::string end = to_string(result.end);
  if (result.end == MinimizeEnd::infeasible)
    return fmt::format("{}: state {} at stage {} stays {:.3g} beyond its bound", end,
                       result.excess_entry + 1, result.excess_stage, result.excess);
  if (result.end == MinimizeEnd::failed)
    return fmt::format("{}: stage {} has none", end, result.failed_stage);
  if (result.end == MinimizeEnd::stalled && result.failed_stage >= 0)
    return fmt::format("{}; the last trial without a value failed at stage {}", end,
                       result.failed_stage);
  return end;
}

ShootingResult shoot(const ShootingProblem& problem, const Trajectory& start,
                     const ShootingOptions& options, const OnShooting& on_iteration) {
  return ShootingRun(problem, options, start).solve(on_iteration);
}

}  // namespace sinew
