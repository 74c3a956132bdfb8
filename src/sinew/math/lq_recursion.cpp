#include "sinew/math/lq_recursion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

void LqRecursion::factor(const LqProblem& problem, const std::vector<VecX>& weights,
                         const std::vector<VecX>& held) {
  problem_ = &problem;
  stages_.resize(problem.stages.size());
  for (size_t k = stages_.size(); k-- > 0;) {
    stages_[k].root_weights = weights[k].cwiseSqrt();
    stages_[k].held = held[k];
    factor_stage(problem.stages[k], k + 1 < stages_.size() ? &stages_[k + 1] : nullptr, stages_[k]);
  }
}

// Rows over the columns (u, x): the cost, the weights, and the cost of the stages that follow.
void LqRecursion::factor_stage(const LqStage& given, const Stage* next, Stage& stage) {
  stage.nu = given.u_size();
  stage.nx = given.x_size();
  const Index n = stage.nu + stage.nx, cost = given.r.size(), later = next ? next->nx : 0;
  stage.r = given.r;
  stage.c = given.c;
  MatX rows = MatX::Zero(cost + n + later, n);
  rows.topRows(cost) << given.Ru, given.Rs;
  rows.middleRows(cost, n).diagonal() = stage.root_weights;
  // Eigen's product of a triangle reads the first entry of what it multiplies.
  if (next && stage.nu > 0) rows.bottomLeftCorner(later, stage.nu) = next->T() * given.B;
  if (next && stage.nx > 0) rows.bottomRightCorner(later, stage.nx) = next->T() * given.A;
  for (Index j = 0; j < n; ++j) {
    const double value = stage.held[j];
    if (std::isnan(value)) continue;
    const bool control = j < stage.nu;
    const Index i = control ? j : j - stage.nu;
    stage.r += value * (control ? given.Ru : given.Rs).col(i);
    if (next) stage.c += value * (control ? given.B : given.A).col(i);
    rows.col(j).setZero();
    rows(cost + j, j) = 1;
  }
  // Reflections lose nothing of light rows if the heavy ones come first (Cox and Higham 1998).
  const VecX size = rows.cwiseAbs().rowwise().maxCoeff();
  stage.order.resize(static_cast<size_t>(rows.rows()));
  std::iota(stage.order.begin(), stage.order.end(), Index{0});
  std::stable_sort(stage.order.begin(), stage.order.end(),
                   [&](Index a, Index b) { return size[a] > size[b]; });
  stage.qr.compute(rows(stage.order, Eigen::all));
}

bool LqRecursion::solve(const std::vector<VecX>& gradient, std::vector<VecX>& v) {
  for (size_t k = stages_.size(); k-- > 0;) {
    Stage& stage = stages_[k];
    const Index n = stage.nu + stage.nx, cost = stage.r.size();
    VecX right(stage.qr.rows());
    right.head(cost) = stage.r;
    for (Index j = 0; j < n; ++j)
      right[cost + j] = !std::isnan(stage.held[j]) ? -stage.held[j]
                        : gradient[k][j] == 0      ? 0
                                                   : gradient[k][j] / stage.root_weights[j];
    if (k + 1 < stages_.size()) {
      const Stage& next = stages_[k + 1];
      right.tail(next.nx) = next.T() * stage.c + next.e.tail(next.nx);
    }
    stage.e = right(stage.order);
    stage.e.applyOnTheLeft(stage.qr.householderQ().adjoint());
    stage.e.conservativeResize(n);
  }
  v.resize(stages_.size());
  VecX x = -stages_[0].T().solve(stages_[0].e.tail(stages_[0].nx));
  for (size_t k = 0; k < stages_.size(); ++k) {
    const Stage& stage = stages_[k];
    v[k].resize(stage.nu + stage.nx);
    v[k].head(stage.nu) = -stage.R_uu().solve(stage.R_ux() * x + stage.e.head(stage.nu));
    v[k].tail(stage.nx) = x;
    v[k] = stage.held.array().isNaN().select(v[k], stage.held);
    if (!v[k].allFinite()) return false;
    const LqStage& given = problem_->stages[k];
    if (k + 1 < stages_.size()) x = given.A * x + given.B * v[k].head(stage.nu) + given.c;
  }
  return true;
}

}  // namespace sinew
