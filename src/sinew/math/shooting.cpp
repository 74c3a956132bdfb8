#include "sinew/math/shooting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "sinew/core/error.hpp"
#include "sinew/math/lq_solver.hpp"

namespace sinew {
namespace {

/// Part of the decrease of the model that a step must reach, from the largest merit of as many
/// iterates: a single one would refuse good steps along curved constraints (Maratos 1978).
constexpr double kSufficient = 1e-4;
constexpr size_t kMemory = 4;
constexpr double kShortestStep = 1e-4;
/// Proximal weights: the first after a step that was too long, and the last that makes sense.
constexpr double kFirstProximal = 1e-3, kLastProximal = 1e8;
/// Decreases below this part of the merit are lost in rounding.
constexpr double kMeritRounding = 1e-13;
constexpr int kIdle = 5;  // iterations in a row like that

double largest_entry(const VecX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

/// What a trajectory is judged by.
struct Judged {
  double value = 0, excess = 0;  // ½ Σ |r|²; Σ of states beyond their bounds
  std::vector<VecX> gaps;        // F_k − s_{k+1}
};

double sum_of_excess(const Bounds& bounds, const VecX& s) {
  double sum = 0;
  for (Eigen::Index i = 0; i < s.size(); ++i)
    sum += std::max({0.0, bounds.lower_of(i) - s[i], s[i] - bounds.upper_of(i)});
  return sum;
}

class ShootingRun {
 public:
  ShootingRun(const ShootingProblem& problem, const ShootingOptions& options,
              const Trajectory& start)
      : problem_(problem), options_(options), stages_(start.controls.size()) {
    check(start);
    static_cast<Trajectory&>(out_) = start;
    problem_.states[0].clamp(out_.states[0]);
    for (size_t k = 0; k < stages_; ++k) problem_.controls[k].clamp(out_.controls[k]);
    lq_.stages.resize(stages_ + 1);
    values_.resize(stages_ + 1);
    gap_weights_.resize(stages_);
    for (size_t k = 0; k < stages_; ++k) gap_weights_[k].setZero(start.states[k + 1].size());
  }

  ShootingResult solve(const OnShooting& on_iteration) {
    out_.proximal = options_.proximal;
    if (!evaluate(out_, values_, true)) return out_;
    now_ = judge(out_, values_);
    lq_.price = std::max(1.0, 10 * now_.value);
    int idle = 0;
    for (;;) {
      update_measures();
      out_.end = MinimizeEnd::stalled;
      if (!solve_program()) return out_;
      const bool stationary =
          out_.gradient_norm <= options_.gradient_tolerance && out_.gap <= options_.gap_tolerance;
      if (stationary) {
        const bool met = out_.excess <= options_.gap_tolerance;
        out_.end = met ? MinimizeEnd::converged : MinimizeEnd::infeasible;
        return out_;
      }
      out_.end = MinimizeEnd::stopped;
      if (on_iteration && !on_iteration(out_)) return out_;
      out_.end = MinimizeEnd::evaluations;
      if (out_.iterations >= options_.iterations) return out_;
      out_.end = MinimizeEnd::stalled;
      if (!advance()) return out_;
      idle = lost_ ? idle + 1 : 0;
      if (idle == kIdle) return out_;
      ++out_.iterations;
    }
  }

 private:
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

  bool evaluate(const Trajectory& at, std::vector<StageValues>& values, bool derivatives) {
    static const VecX kNone;
    if (!derivatives || out_.evaluations == 0) ++out_.evaluations;
    for (size_t k = 0; k <= stages_; ++k) {
      LqStage& stage = lq_.stages[k];
      StageValues& v = values[k];
      const bool last = k == stages_;
      bool valid = problem_.stage(static_cast<int>(k), at.states[k], last ? kNone : at.controls[k],
                                  v, derivatives ? &stage : nullptr);
      if (last) v.end.resize(0);
      valid = valid && v.end.allFinite() && v.residuals.allFinite();
      if (valid && derivatives)
        valid = stage.Rs.allFinite() &&
                (last || (stage.A.allFinite() && stage.B.allFinite() && stage.Ru.allFinite()));
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

  double merit(const Judged& judged) const {
    double sum = judged.value + lq_.price * judged.excess;
    for (size_t k = 0; k < stages_; ++k) sum += gap_weights_[k].dot(judged.gaps[k].cwiseAbs());
    return sum;
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
      for (Eigen::Index i = 0; i < s.size(); ++i) {
        const Bounds& bounds = problem_.states[k + 1];
        const double excess = std::max(bounds.lower_of(i) - s[i], s[i] - bounds.upper_of(i));
        if (!(excess > out_.excess)) continue;
        out_.excess = excess;
        out_.excess_stage = static_cast<int>(k + 1);
        out_.excess_entry = static_cast<int>(i);
      }
    }
  }

  /// The problem linearised at the iterate, in steps of states and controls.
  void fill_program() {
    const auto weights = [&](const MatX& R, Eigen::Index n) -> VecX {
      VecX w = VecX::Ones(n);
      for (Eigen::Index i = 0; i < n && R.rows() > 0; ++i)
        if (const double square = R.col(i).squaredNorm(); square > 0) w[i] = square;
      return out_.proximal * w;
    };
    const auto shifted = [](const Bounds& bounds, const VecX& at) {
      Bounds out = bounds;
      if (out.lower.size() > 0) out.lower -= at;
      if (out.upper.size() > 0) out.upper -= at;
      return out;
    };
    for (size_t k = 0; k <= stages_; ++k) {
      LqStage& stage = lq_.stages[k];
      const VecX& s = out_.states[k];
      stage.r = values_[k].residuals;
      stage.x_weights = weights(stage.Rs, s.size());
      stage.x = shifted(problem_.states[k], s);
      if (k == stages_) {
        stage.u_weights.resize(0);
        stage.Ru.resize(stage.r.size(), 0);
        continue;
      }
      stage.u_weights = weights(stage.Ru, out_.controls[k].size());
      stage.u = shifted(problem_.controls[k], out_.controls[k]);
      stage.c = now_.gaps[k];
    }
  }

  /// Raises the price of states beyond their bounds as long as that brings them back.
  bool solve_program() {
    fill_program();
    const LqActiveSet* guess = solution_.active.at.empty() ? nullptr : &solution_.active;
    const LqActiveSet before = solution_.active;
    if (!solver_.solve(lq_, solution_, guess ? &before : nullptr)) return false;
    out_.programs = solution_.recursions;
    for (;;) {
      const double excess = program_excess();
      if (excess <= 0.1 * options_.gap_tolerance || lq_.price > kHighestPrice) break;
      lq_.price *= 10;
      LqSolution dearer;
      const bool solved = solver_.solve(lq_, dearer, &solution_.active);
      out_.programs += dearer.recursions;
      std::swap(solution_, dearer);
      if (solved && program_excess() < 0.9 * excess) continue;
      std::swap(solution_, dearer);
      lq_.price /= 10;
      break;
    }
    out_.multipliers = solution_.multipliers;
    out_.state_multipliers = solution_.x_multipliers;
    out_.control_multipliers = solution_.u_multipliers;
    out_.control_multipliers.resize(stages_);
    update_gradient_norm();
    return true;
  }

  double program_excess() const {
    double sum = 0;
    for (size_t k = 1; k <= stages_; ++k) sum += sum_of_excess(lq_.stages[k].x, solution_.x[k]);
    return sum;
  }

  /// With the multipliers of the program, the gradient of the Lagrangian is minus its Hessian times
  /// the step. It is compared with its terms, or with the slope of the value at the start: where
  /// all residuals vanish, so do the terms.
  void update_gradient_norm() {
    double gradient = 0, slope = 0, forces = 0;
    for (size_t k = 0; k <= stages_; ++k) {
      const LqStage& stage = lq_.stages[k];
      const VecX &x = solution_.x[k], &u = solution_.u[k];
      const VecX change = stage.Rs * x + stage.Ru * u;
      const VecX by_x = stage.Rs.transpose() * change + stage.x_weights.cwiseProduct(x);
      const VecX by_u = stage.Ru.transpose() * change + stage.u_weights.cwiseProduct(u);
      gradient = std::max({gradient, largest_entry(by_x), largest_entry(by_u)});
      slope = std::max({slope, largest_entry(stage.Rs.transpose() * stage.r),
                        largest_entry(stage.Ru.transpose() * stage.r)});
      forces = std::max({forces, largest_entry(solution_.multipliers[k]),
                         largest_entry(solution_.u_multipliers[k])});
    }
    if (out_.iterations == 0) first_slope_ = slope;
    const double terms = std::max({first_slope_, slope, forces});
    out_.gradient_norm = terms > 0 ? gradient / terms : 0;
  }

  /// What the merit loses along the step according to the model, without its curvature.
  double promised_decrease() const {
    double sum = lq_.price * (now_.excess - program_excess());
    for (size_t k = 0; k <= stages_; ++k) {
      const LqStage& stage = lq_.stages[k];
      sum -= stage.r.dot(stage.Rs * solution_.x[k] + stage.Ru * solution_.u[k]);
      if (k < stages_) sum += gap_weights_[k].dot(now_.gaps[k].cwiseAbs());
    }
    return sum;
  }

  /// Weights of gaps in the merit: above the multipliers, by the rule of Powell (1978).
  void update_gap_weights() {
    for (size_t k = 0; k < stages_; ++k) {
      const VecX needed = 1.5 * solution_.multipliers[k + 1].cwiseAbs();
      gap_weights_[k] = needed.cwiseMax(0.5 * (gap_weights_[k] + needed));
    }
  }

  /// Takes a part of the step; if none is short enough, solves again with a larger weight of its
  /// square. False if that does not help either.
  bool advance() {
    for (;;) {
      update_gap_weights();
      const double decrease = promised_decrease(), merit_now = merit(now_);
      lost_ = decrease <= kMeritRounding * std::abs(merit_now);
      double reference = merit_now;
      for (const Judged& earlier : earlier_) reference = std::max(reference, merit(earlier));
      for (double length = 1; length >= kShortestStep;) {
        const bool valid = try_step(length);
        const double limit = reference - kSufficient * length * decrease;
        if (valid && (lost_ || merit(trial_judged_) <= limit) && take()) {
          out_.step = length;
          if (length == 1) {
            out_.proximal = std::max(options_.proximal, out_.proximal / 5);
          } else if (length <= 0.25) {
            out_.proximal = std::max(kFirstProximal, 5 * out_.proximal);
          }
          return true;
        }
        length *= valid ? 0.5 : 0.25;
      }
      out_.proximal = std::max(kFirstProximal, 10 * out_.proximal);
      if (out_.proximal > kLastProximal || !solve_program()) return false;
    }
  }

  bool try_step(double length) {
    trial_ = out_;
    for (size_t k = 0; k <= stages_; ++k) {
      trial_.states[k] += length * solution_.x[k];
      if (k < stages_) {
        trial_.controls[k] += length * solution_.u[k];
        problem_.controls[k].clamp(trial_.controls[k]);
      }
    }
    problem_.states[0].clamp(trial_.states[0]);
    trial_values_.resize(stages_ + 1);
    if (!evaluate(trial_, trial_values_, false)) return false;
    trial_judged_ = judge(trial_, trial_values_);
    return true;
  }

  bool take() {
    // Derivatives go where those of the iterate are: these are needed no more, unless this fails.
    const LqProblem kept = lq_;
    if (!evaluate(trial_, trial_values_, true)) {
      lq_ = kept;
      return false;
    }
    earlier_.push_back(now_);
    if (earlier_.size() >= kMemory) earlier_.pop_front();
    std::swap(static_cast<Trajectory&>(out_), trial_);
    std::swap(values_, trial_values_);
    now_ = judge(out_, values_);
    return true;
  }

  static constexpr double kHighestPrice = 1e12;

  const ShootingProblem& problem_;
  const ShootingOptions& options_;
  size_t stages_;
  ShootingResult out_;
  Trajectory trial_;
  std::vector<StageValues> values_, trial_values_;
  Judged now_, trial_judged_;
  std::deque<Judged> earlier_;
  LqProblem lq_;
  LqSolver solver_;
  LqSolution solution_;
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
