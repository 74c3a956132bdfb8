#include "sinew/math/lq_interior_point.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

/// Of the way to the nearest bound.
constexpr double kToTheBound = 0.995;
constexpr int kRecursions = 80;
/// What may be left of errors in the linear equations.
constexpr double kLinear = 1e-10;

}  // namespace

bool LqInteriorPoint::start(const LqProblem& problem) {
  problem_ = &problem;
  place_sides();
  weights_ = own_weights_;
  recursion_.factor(problem, weights_, held_);
  recursions_ = 1;
  if (!recursion_.solve(gradient_, v_)) return false;
  excess_ = 0;
  for (size_t k = 0; k < sides_.size(); ++k)
    for (const LqSide& side : sides_[k]) excess_ += side.excess(v_[k]);
  if (within_bounds()) return true;
  first_ = problem.price * excess_;
  for (const LqStage& stage : problem.stages) first_ += 0.5 * stage.r.squaredNorm();
  first_ /= count_;
  for (size_t k = 0; k < sides_.size(); ++k)
    for (LqSide& side : sides_[k]) side.start(first_, v_[k]);
  left_ = 1;
  return true;
}

void LqInteriorPoint::place_sides() {
  const size_t stages = problem_->stages.size();
  count_ = 0;
  sides_.assign(stages, {});
  own_weights_.resize(stages);
  gradient_.resize(stages);
  held_ = held_by_equal_bounds(*problem_);
  for (size_t k = 0; k < stages; ++k) {
    const LqStage& stage = problem_->stages[k];
    const Eigen::Index nu = stage.u_size(), n = nu + stage.x_size();
    own_weights_[k] = stage_unknowns(stage.u_weights, stage.x_weights);
    gradient_[k].setZero(n);
    for (const double sign : {-1.0, 1.0}) {
      VecX bound(n);
      std::vector<LqSide::Kind> kinds(static_cast<size_t>(n), LqSide::Kind::none);
      for (Eigen::Index j = 0; j < n; ++j) {
        bound[j] = stage.bound(j, sign);
        if (std::isfinite(bound[j]) && std::isnan(held_[k][j]))
          kinds[static_cast<size_t>(j)] =
              j >= nu && k > 0 ? LqSide::Kind::soft : LqSide::Kind::hard;
      }
      LqSide side(sign, std::move(bound), std::move(kinds), problem_->price);
      if (side.count() == 0) continue;
      count_ += side.count();
      sides_[k].push_back(std::move(side));
    }
  }
}

bool LqInteriorPoint::iterate(double part) {
  const double accuracy = part * first_;
  while (recursions_ < kRecursions) {
    const double mu = complementarity(0);
    if (mu <= accuracy && left_ <= kLinear) return true;
    ++recursions_;
    for (auto& sides : sides_)
      for (LqSide& side : sides) side.forget_second_order();
    if (!solve_newton(0, true)) break;
    const double affine = complementarity(longest()) / mu;
    for (auto& sides : sides_)
      for (LqSide& side : sides) side.keep_second_order();
    if (!solve_newton(std::max(affine * affine * affine * mu, 0.1 * accuracy), false)) break;
    const double length = std::min(1.0, kToTheBound * longest());
    if (!(length > 1e-8)) break;
    for (size_t k = 0; k < sides_.size(); ++k) {
      v_[k] += length * (v_new_[k] - v_[k]);
      for (LqSide& side : sides_[k]) side.advance(length);
    }
    left_ *= 1 - length;
  }
  return false;
}

bool LqInteriorPoint::solve_newton(double mu, bool new_factors) {
  weights_ = own_weights_;
  for (size_t k = 0; k < sides_.size(); ++k) {
    gradient_[k].setZero();
    for (const LqSide& side : sides_[k]) side.add_terms(mu, v_[k], weights_[k], gradient_[k]);
  }
  if (new_factors) recursion_.factor(*problem_, weights_, held_);
  if (!recursion_.solve(gradient_, v_new_)) return false;
  for (size_t k = 0; k < sides_.size(); ++k)
    for (LqSide& side : sides_[k]) side.update_steps(mu, v_[k], v_new_[k]);
  return true;
}

double LqInteriorPoint::longest() const {
  double length = 1;
  for (const auto& sides : sides_)
    for (const LqSide& side : sides) length = std::min(length, side.longest());
  return length;
}

double LqInteriorPoint::complementarity(double length) const {
  double sum = 0;
  for (const auto& sides : sides_)
    for (const LqSide& side : sides) sum += side.complementarity(length);
  return sum / count_;
}

std::vector<VecX> LqInteriorPoint::multipliers() const {
  std::vector<VecX> out(sides_.size());
  for (size_t k = 0; k < sides_.size(); ++k) {
    out[k].setZero(own_weights_[k].size());
    for (const LqSide& side : sides_[k]) side.add_multipliers(out[k]);
  }
  return out;
}

LqActiveSet LqInteriorPoint::active() const {
  LqActiveSet out{std::vector<Eigen::VectorXi>(sides_.size()), std::vector<VecX>(sides_.size())};
  for (size_t k = 0; k < sides_.size(); ++k) {
    out.at[k].setZero(own_weights_[k].size());
    out.stiffness[k].setZero(own_weights_[k].size());
    for (const LqSide& side : sides_[k]) side.add_active(out.at[k], out.stiffness[k]);
  }
  return out;
}

}  // namespace sinew
