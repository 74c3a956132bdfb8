#include "sinew/constraints/solve/impulse_solver.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/math/infinity.hpp"

// Conditions as a projection onto the set of allowed impulses (natural map), row by row:
//     F = x − P(x − u/a),   a = A_kk.
// F = 0 is the whole problem: signs, complementarity, the cone and maximal dissipation; and |F|
// measures the error of x. Newton's method on F (Alart and Curnier 1991) ends in quadratic
// convergence with exact discs and radii μ x_n, but must start near the solution. Quadratic
// programs with radii held (Tresca's problem, which is convex) and discs cut out by tangents lead
// there. If their radii do not settle, sweeps of x ← P(x − u/a), row by row, converge (Gauss and
// Seidel: slow, but rarely stuck).

namespace sinew {
namespace {

// A row without any response has no impulse, and must hold by itself [m/s, rad/s].
constexpr double kHeldRate = 1e-9;
constexpr int kRounds = 15;       // rounds of quadratic programs
constexpr int kBatches = 10;      // batches of relaxation
constexpr int kSweeps = 100;      // per batch
constexpr int kNewtonSteps = 25;  // per attempt
constexpr int kCutsPerDisc = 16;
// Redundant rows make A singular. A fraction of a on the diagonal of Newton's matrix chooses the
// step; the rest of F falls by that factor per iteration. Rows that contradict each other a little
// drift by their contradiction over it: those of a flat face, by 1e-12 of the velocities, should
// stay unchanged; others must find which of them opens, and need less.
constexpr double kProximal[] = {1e-7, 1e-10, 1e-13};
// For shortened steps, when many rows contradict each other by more than rounding.
constexpr double kDampedProximal[] = {1e-5, 1e-4, 1e-6, 1e-3};
constexpr double kLengths[] = {1, 0.5, 0.25, 0.1, 0.03};
constexpr double kNear = 1e-6;  // residual below which that is worthwhile

}  // namespace

void ImpulseSolver::resize(Eigen::Index m) {
  if (u_.size() == m) return;
  for (VecX* x :
       {&u_, &F_, &step_, &scale_, &lower_, &upper_, &best_, &guess_, &trial_, &bound_multipliers_})
    x->resize(m);
  jacobian_.resize(m, m);
}

double ImpulseSolver::evaluate(const Problem& p, const ConstVecRef& x) {
  u_ = p.b;
  u_.noalias() += p.A.lazyProduct(x);
  F_.setZero();
  for (const Normal& n : p.normals) {
    F_[n.row] = x[n.row] - std::max(0.0, x[n.row] - u_[n.row] * scale_[n.row]);
    if (n.tangent < 0) continue;
    const Eigen::Vector2d y =
        x.segment<2>(n.tangent) - scale_[n.tangent] * u_.segment<2>(n.tangent);
    const double radius = n.friction * std::max(0.0, x[n.row]), length = y.norm();
    F_.segment<2>(n.tangent) = x.segment<2>(n.tangent);
    if (length > radius)
      F_.segment<2>(n.tangent) -= (radius / length) * y;
    else
      F_.segment<2>(n.tangent) -= y;
  }
  for (const Bounded& f : p.bounded)
    F_[f.row] = x[f.row] - std::clamp(x[f.row] - u_[f.row] * scale_[f.row], -f.bound, f.bound);

  // In units of √energy, against the largest velocity that any row is made of.
  double size = 0, worst = 0;
  worst_row_ = -1;
  for (const Normal& n : p.normals)
    if (scale_[n.row] == 0 && !(p.b[n.row] >= -kHeldRate)) {
      worst_row_ = n.row;
      return kInfinity;
    }
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (scale_[k] == 0) continue;
    double terms = std::abs(p.b[k]);
    for (Eigen::Index j = 0; j < x.size(); ++j) terms += std::abs(p.A(k, j) * x[j]);
    size = std::max(size, terms * std::sqrt(scale_[k]));
    const double missing = std::abs(F_[k]) / std::sqrt(scale_[k]);
    if (missing <= worst) continue;
    worst = std::isnan(missing) ? kInfinity : missing;
    worst_row_ = static_cast<int>(k);
  }
  return worst > 0 ? worst / size : 0;
}

void ImpulseSolver::update_jacobian(const Problem& p, double proximal, const ConstVecRef& x) {
  const Eigen::Index m = x.size();
  const auto velocity_row = [&](Eigen::Index k) {
    for (Eigen::Index j = 0; j < m; ++j) jacobian_(k, j) = scale_[k] * p.A(k, j);
    jacobian_(k, k) += proximal;
  };
  const auto fixed_row = [&](Eigen::Index k) {
    jacobian_.row(k).setZero();
    jacobian_(k, k) = 1;
  };
  for (Eigen::Index k = 0; k < m; ++k) fixed_row(k);
  for (const Normal& n : p.normals) {
    if (x[n.row] - u_[n.row] * scale_[n.row] > 0) velocity_row(n.row);
    if (n.tangent < 0) continue;
    const Eigen::Vector2d y =
        x.segment<2>(n.tangent) - scale_[n.tangent] * u_.segment<2>(n.tangent);
    const double radius = n.friction * std::max(0.0, x[n.row]), length = y.norm();
    if (length <= radius && length > 0) {
      velocity_row(n.tangent);
      velocity_row(n.tangent + 1);
      continue;
    }
    if (radius == 0) continue;
    // F = x_t − μ x_n ŷ,  dŷ = (1 − ŷŷᵀ)/|y| dy,  dy = dx_t − (A dx)_t / a
    const Eigen::Vector2d unit = y / length;
    const Eigen::Matrix2d turn =
        (radius / length) * (Eigen::Matrix2d::Identity() - unit * unit.transpose());
    for (int i = 0; i < 2; ++i) {
      const Eigen::Index k = n.tangent + i;
      for (int c = 0; c < 2; ++c) {
        jacobian_(k, n.tangent + c) -= turn(i, c);
        for (Eigen::Index j = 0; j < m; ++j)
          jacobian_(k, j) += turn(i, c) * scale_[n.tangent] * p.A(n.tangent + c, j);
      }
      jacobian_(k, n.row) -= n.friction * unit[i];
    }
  }
  for (const Bounded& f : p.bounded)
    if (std::abs(x[f.row] - u_[f.row] * scale_[f.row]) <= f.bound) velocity_row(f.row);
}

bool ImpulseSolver::newton(const Problem& p, VecRef x) {
  best_ = x;
  residual_ = evaluate(p, x);
  for (const double proximal : kProximal) {
    newton(p, proximal, x);
    if (residual_ <= kTolerance || !(residual_ < kNear)) break;
  }
  return residual_ <= kTolerance;
}

void ImpulseSolver::newton(const Problem& p, double proximal, VecRef x) {
  double now = residual_;
  for (int k = 0; k < kNewtonSteps && now > kAim; ++k) {
    update_jacobian(p, proximal, x);
    if (!lu_.factor(jacobian_)) break;
    step_ = -F_;
    lu_.solve_in_place(step_);
    x += step_;
    ++newton_steps_;
    const double before = now;
    now = evaluate(p, x);
    if (now < residual_) {
      residual_ = now;
      best_ = x;
    }
    if (!std::isfinite(now)) break;
    // At rounding level it stays unchanged.
    if (now <= kTolerance && now > 0.5 * before) break;
  }
  x = best_;
  residual_ = evaluate(p, x);
}

void ImpulseSolver::damped_newton(const Problem& p, double proximal, VecRef x) {
  for (int k = 0; k < kNewtonSteps && residual_ > kAim; ++k) {
    evaluate(p, x);
    update_jacobian(p, proximal, x);
    if (!lu_.factor(jacobian_)) break;
    step_ = -F_;
    lu_.solve_in_place(step_);
    ++newton_steps_;
    double least = kInfinity, length = 0;
    for (const double candidate : kLengths) {
      trial_ = x + candidate * step_;
      const double r = evaluate(p, trial_);
      if (!(r < least)) continue;
      least = r;
      length = candidate;
    }
    if (length == 0) break;
    x += length * step_;
    if (least >= residual_) continue;
    residual_ = least;
    best_ = x;
  }
  x = best_;
  residual_ = evaluate(p, x);
}

bool ImpulseSolver::program(const Problem& p, VecRef x) {
  lower_.setZero();
  upper_.setZero();
  for (size_t i = 0; i < p.normals.size(); ++i) {
    const Normal& n = p.normals[i];
    if (scale_[n.row] > 0) upper_[n.row] = kInfinity;
    if (n.tangent < 0) continue;
    lower_.segment<2>(n.tangent).setConstant(-radius_[i]);
    upper_.segment<2>(n.tangent).setConstant(radius_[i]);
  }
  for (const Bounded& f : p.bounded) {
    lower_[f.row] = -f.bound;
    upper_[f.row] = f.bound;
  }
  const auto rows = static_cast<Eigen::Index>(cuts_.size());
  if (cut_rows_.rows() != rows || cut_rows_.cols() != x.size()) {
    cut_rows_.resize(rows, x.size());
    cut_bounds_.resize(rows);
  }
  cut_rows_.setZero();
  for (Eigen::Index r = 0; r < rows; ++r) {
    const Cut& cut = cuts_[static_cast<size_t>(r)];
    const auto i = static_cast<size_t>(cut.normal);
    cut_rows_(r, p.normals[i].tangent) = cut.c;
    cut_rows_(r, p.normals[i].tangent + 1) = cut.s;
    cut_bounds_[r] = radius_[i];
  }
  // Start from the last round: if redundant rows share the load, this finds the solution nearest to
  // it; otherwise radii would never settle.
  if (multipliers_.size() != rows + x.size()) multipliers_.resize(rows + x.size());
  for (Eigen::Index r = 0; r < rows; ++r)
    multipliers_[r] = cuts_[static_cast<size_t>(r)].multiplier;
  multipliers_.tail(x.size()) = bound_multipliers_;
  const QpWarmStart warm{x, multipliers_};
  ++programs_;
  const QpResult result = qp_.solve(
      {.H = p.A, .c = p.b, .A_i = cut_rows_, .b_i = cut_bounds_, .lower = lower_, .upper = upper_},
      &warm);
  if (!result.x.allFinite()) return false;
  x = result.x;
  for (Eigen::Index r = 0; r < rows; ++r)
    cuts_[static_cast<size_t>(r)].multiplier = result.multipliers[r];
  bound_multipliers_ = result.multipliers.tail(x.size());
  // An inaccurate solution may still lead Newton's method to an accurate one.
  return result.status == QpStatus::optimal || result.status == QpStatus::inaccurate ||
         result.status == QpStatus::iteration_limit;
}

void ImpulseSolver::relax(const Problem& p, VecRef x) {
  const auto rate = [&](Eigen::Index k) { return p.A.row(k).dot(x) + p.b[k]; };
  for (const Normal& n : p.normals) {
    x[n.row] = std::max(0.0, x[n.row] - scale_[n.row] * rate(n.row));
    if (n.tangent < 0) continue;
    const Eigen::Vector2d u(rate(n.tangent), rate(n.tangent + 1));
    const Eigen::Vector2d y = x.segment<2>(n.tangent) - scale_[n.tangent] * u;
    const double radius = n.friction * x[n.row], length = y.norm();
    x.segment<2>(n.tangent) = length > radius ? Eigen::Vector2d(radius / length * y) : y;
  }
  for (const Bounded& f : p.bounded)
    x[f.row] = std::clamp(x[f.row] - scale_[f.row] * rate(f.row), -f.bound, f.bound);
}

void ImpulseSolver::add_cuts(const Problem& p, const ConstVecRef& x) {
  for (size_t i = 0; i < p.normals.size(); ++i) {
    const Normal& n = p.normals[i];
    if (n.tangent < 0) continue;
    const Eigen::Vector2d x_t = x.segment<2>(n.tangent);
    const double length = x_t.norm();
    if (!(length > radius_[i] * (1 + 1e-9)) || !(length > 0)) continue;
    const auto mine = std::count_if(cuts_.begin(), cuts_.end(), [&](const Cut& cut) {
      return cut.normal == static_cast<int>(i);
    });
    if (mine == kCutsPerDisc)
      cuts_.erase(std::find_if(cuts_.begin(), cuts_.end(),
                               [&](const Cut& cut) { return cut.normal == static_cast<int>(i); }));
    cuts_.push_back({static_cast<int>(i), x_t[0] / length, x_t[1] / length, 0});
  }
}

bool ImpulseSolver::solve(const Matrix& A, const ConstVecRef& b, const std::vector<Normal>& normals,
                          const std::vector<Bounded>& bounded, VecRef x) {
  const Problem p{A, b, normals, bounded};
  resize(x.size());
  programs_ = newton_steps_ = 0;
  // The two tangents of a contact share one scale, so that discs stay discs.
  for (Eigen::Index k = 0; k < x.size(); ++k) scale_[k] = A(k, k) > 0 ? 1 / A(k, k) : 0;
  for (const Normal& n : normals)
    if (n.tangent >= 0) {
      const double a = std::max(A(n.tangent, n.tangent), A(n.tangent + 1, n.tangent + 1));
      scale_[n.tangent] = scale_[n.tangent + 1] = a > 0 ? 1 / a : 0;
    }
  if (newton(p, x)) return true;
  if (std::isinf(residual_)) return false;

  radius_.assign(normals.size(), 0.0);
  cuts_.clear();
  x.setZero();
  bound_multipliers_.setZero();
  for (int round = 0; round < kRounds; ++round) {
    if (!program(p, x)) return false;
    guess_ = x;
    if (newton(p, x)) return true;
    x = guess_;
    add_cuts(p, x);
    for (size_t i = 0; i < normals.size(); ++i)
      radius_[i] = normals[i].friction * std::max(0.0, x[normals[i].row]);
  }
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int sweep = 0; sweep < kSweeps; ++sweep) relax(p, x);
    guess_ = x;
    if (newton(p, x)) return true;
    for (const double proximal : kDampedProximal) {
      best_ = x = guess_;
      residual_ = evaluate(p, x);
      damped_newton(p, proximal, x);
      if (residual_ <= kTolerance) return true;
    }
    x = guess_;
  }
  x = best_;
  residual_ = evaluate(p, x);
  return residual_ <= kAcceptable;
}

}  // namespace sinew
