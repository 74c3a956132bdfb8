#include "sinew/math/shooting_program.hpp"

#include <algorithm>

namespace sinew {
namespace {

constexpr double kHighestPrice = 1e12;
/// A higher price is worth it if no more than this part of the excess remains.
constexpr double kWorthIt = 0.9;

/// Squares of the lengths of columns, one for those that are zero.
VecX column_squares(const MatX& R, Eigen::Index n) {
  VecX squares = VecX::Ones(n);
  for (Eigen::Index i = 0; i < n && R.rows() > 0; ++i)
    if (const double square = R.col(i).squaredNorm(); square > 0) squares[i] = square;
  return squares;
}

Bounds shifted(const Bounds& bounds, const VecX& by) {
  Bounds out = bounds;
  if (out.lower.size() > 0) out.lower -= by;
  if (out.upper.size() > 0) out.upper -= by;
  return out;
}

}  // namespace

VecX joined(const std::vector<VecX>& states, const std::vector<VecX>& controls) {
  Eigen::Index size = 0;
  for (const auto* all : {&states, &controls})
    for (const VecX& x : *all) size += x.size();
  VecX out(size);
  Eigen::Index at = 0;
  for (const auto* all : {&states, &controls})
    for (const VecX& x : *all) {
      out.segment(at, x.size()) = x;
      at += x.size();
    }
  return out;
}

void add_joined(const VecX& step, Trajectory& to) {
  Eigen::Index at = 0;
  for (auto* all : {&to.states, &to.controls})
    for (VecX& x : *all) {
      x += step.segment(at, x.size());
      at += x.size();
    }
}

double sum_of_excess(const Bounds& bounds, const VecX& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    sum += std::max({0.0, bounds.lower_of(i) - x[i], x[i] - bounds.upper_of(i)});
  return sum;
}

double largest_entry(const VecX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

ShootingProgram::ShootingProgram(const ShootingProblem& problem, size_t stages)
    : problem_(problem) {
  lq_.stages.resize(stages + 1);
}

void ShootingProgram::fill(const Iterate& iterate, double proximal) {
  for (size_t k = 0; k < lq_.stages.size(); ++k) {
    LqStage& stage = lq_.stages[k];
    static_cast<StageJacobians&>(stage) = iterate.jacobians[k];
    stage.r = iterate.values[k].residuals;
    const VecX& s = iterate.at.states[k];
    stage.x_weights = proximal * column_squares(stage.Rs, s.size());
    stage.x = shifted(problem_.states[k], s);
    if (k + 1 == lq_.stages.size()) {
      stage.u_weights.resize(0);
      stage.Ru.resize(stage.r.size(), 0);
      continue;
    }
    const VecX& u = iterate.at.controls[k];
    stage.u_weights = proximal * column_squares(stage.Ru, u.size());
    stage.u = shifted(problem_.controls[k], u);
    stage.c = iterate.gaps[k];
  }
}

bool ShootingProgram::solve(const Iterate& iterate, double proximal, double tolerance) {
  fill(iterate, proximal);
  const LqActiveSet guess = solution_.active;
  if (!solver_.solve(lq_, solution_, guess.at.empty() ? nullptr : &guess)) return false;
  recursions_ = solution_.recursions;
  for (double before = excess(); before > tolerance && lq_.price < kHighestPrice;) {
    const LqSolution cheaper = solution_;
    lq_.price *= 10;
    const bool solved = solver_.solve(lq_, solution_, &cheaper.active);
    recursions_ += solution_.recursions;
    const double after = excess();
    if (!solved || after > kWorthIt * before) {
      solution_ = cheaper;
      lq_.price /= 10;
      break;
    }
    before = after;
  }
  return true;
}

double ShootingProgram::excess() const {
  double sum = 0;
  for (size_t k = 1; k < lq_.stages.size(); ++k)
    sum += sum_of_excess(lq_.stages[k].x, solution_.x[k]);
  return sum;
}

double ShootingProgram::slope() const {
  double sum = 0;
  for (size_t k = 0; k < lq_.stages.size(); ++k) {
    const LqStage& stage = lq_.stages[k];
    sum -= stage.r.dot(stage.Rs * solution_.x[k] + stage.Ru * solution_.u[k]);
  }
  return sum;
}

// With these multipliers, the gradient of the Lagrangian is minus its Hessian times the step.
ShootingProgram::Stationarity ShootingProgram::stationarity() const {
  Stationarity out;
  for (size_t k = 0; k < lq_.stages.size(); ++k) {
    const LqStage& stage = lq_.stages[k];
    const VecX &x = solution_.x[k], &u = solution_.u[k];
    const VecX change = stage.Rs * x + stage.Ru * u;
    const VecX by_x = stage.Rs.transpose() * change + stage.x_weights.cwiseProduct(x);
    const VecX by_u = stage.Ru.transpose() * change + stage.u_weights.cwiseProduct(u);
    out.gradient = std::max({out.gradient, largest_entry(by_x), largest_entry(by_u)});
    out.slopes = std::max({out.slopes, largest_entry(stage.Rs.transpose() * stage.r),
                           largest_entry(stage.Ru.transpose() * stage.r)});
    out.multipliers = std::max({out.multipliers, largest_entry(solution_.multipliers[k]),
                                largest_entry(solution_.u_multipliers[k])});
  }
  return out;
}

}  // namespace sinew
