#include "sinew/analysis/ik/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/math/symmetric_eigen.hpp"

namespace sinew {
namespace {

// Half the gradient of the sum [m²]: a coordinate of 1 m of lever is placed to 1e-10.
constexpr double kGradientMet = 1e-10;
constexpr double kGradientAccepted = 1e-8;

Eigen::Index rows_of(const IkTarget& target) {
  return std::holds_alternative<IkPoint>(target) ? 3 : 6;
}

/// The coordinates that are free, and all coordinates as functions of them.
class FreeCoordinates {
 public:
  FreeCoordinates(const IkModel& model, const VecX& start) : model_(model), q_(start) {
    for (int k = 0; k < model.skeleton.dof_count(); ++k) {
      const bool follows = model.coupled.coupling_of(DofIndex{k}) != nullptr;
      const bool held = std::find(model.held.begin(), model.held.end(), k) != model.held.end();
      if (!follows && !held) free_.push_back(k);
    }
    const auto n = static_cast<Eigen::Index>(free_.size());
    if (model.limits.lower.size() == 0) return;
    bounds_.lower.resize(n);
    bounds_.upper.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      bounds_.lower[i] = model.limits.lower_of(index(i));
      bounds_.upper[i] = model.limits.upper_of(index(i));
    }
  }

  Eigen::Index count() const { return static_cast<Eigen::Index>(free_.size()); }
  const Bounds& bounds() const { return bounds_; }

  VecX from(const VecX& q) const {
    VecX out(count());
    for (Eigen::Index i = 0; i < count(); ++i) out[i] = q[index(i)];
    return out;
  }
  VecX to_all(const VecX& x) const {
    VecX q = q_;
    for (Eigen::Index i = 0; i < count(); ++i) q[index(i)] = x[i];
    model_.coupled.follow(q);
    return q;
  }
  /// Jacobian by the free ones: each carries those that follow it along.
  MatX reduced(const MatX& J, const VecX& all) const {
    MatX out(J.rows(), count());
    for (Eigen::Index i = 0; i < count(); ++i) {
      VecX q = all, speeds = VecX::Unit(all.size(), index(i)), unused = VecX::Zero(all.size());
      model_.coupled.follow(q, speeds, unused);
      out.col(i) = model_.coupled.empty() ? VecX(J.col(index(i))) : VecX(J * speeds);
    }
    return out;
  }
  /// Somewhere within the limits; without, within 1 rad or 0.1 m of the start.
  VecX elsewhere(std::mt19937_64& generator) const {
    VecX x = from(q_);
    for (Eigen::Index i = 0; i < count(); ++i) {
      const bool length = model_.skeleton.coordinates()[static_cast<size_t>(index(i))].kind ==
                          CoordinateKind::length;
      const double reach = length ? 0.1 : 1;
      double lower = bounds_.lower_of(i), upper = bounds_.upper_of(i);
      if (!std::isfinite(lower)) lower = std::min(x[i], upper) - reach;
      if (!std::isfinite(upper)) upper = std::max(x[i], lower) + reach;
      // From the bits of the generator: distributions differ between libraries.
      x[i] = lower + (upper - lower) * static_cast<double>(generator() >> 11) * 0x1p-53;
    }
    return x;
  }

 private:
  int index(Eigen::Index i) const { return free_[static_cast<size_t>(i)]; }

  const IkModel& model_;
  VecX q_;
  std::vector<int> free_;
  Bounds bounds_;
};

VecX target_distances(const std::vector<IkTarget>& targets, const VecX& residuals) {
  VecX out(static_cast<Eigen::Index>(targets.size()));
  Eigen::Index row = 0;
  for (size_t k = 0; k < targets.size(); ++k) {
    const double weight = std::visit([](const auto& target) { return target.weight; }, targets[k]);
    out[static_cast<Eigen::Index>(k)] =
        weight > 0 ? residuals.segment(row, rows_of(targets[k])).norm() / std::sqrt(weight) : 0;
    row += rows_of(targets[k]);
  }
  return out;
}

/// ½ of the gradient of the sum by the free coordinates.
VecX half_gradient(const ResidualFunction& residuals, const VecX& x) {
  VecX r;
  MatX J;
  residuals(x, r, &J);
  return J.transpose() * r;
}

/// Its largest entry that limits do not hold.
double open_gradient(const Bounds& bounds, const VecX& x, const VecX& g) {
  double largest = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k)
    if (!bounds.hold(k, x[k], g[k])) largest = std::max(largest, std::abs(g[k]));
  return largest;
}

/// Newton's method on the gradient, for targets that cannot be met: there Gauss–Newton, which
/// leaves out the curvature of the residuals, creeps. The Hessian is made of differences of the
/// analytic gradient, among the coordinates that limits do not hold.
void polish(const ResidualFunction& residuals, const Bounds& bounds, VecX& x) {
  constexpr int kSteps = 30;
  constexpr double kDifference = 1e-5;  // rad or m: its square and rounding over it are both 1e-10
  for (int i = 0; i < kSteps; ++i) {
    const VecX g = half_gradient(residuals, x);
    const double before = open_gradient(bounds, x, g);
    if (!(before > kGradientMet)) return;
    std::vector<Eigen::Index> open;
    for (Eigen::Index k = 0; k < x.size(); ++k)
      if (!bounds.hold(k, x[k], g[k])) open.push_back(k);
    const auto n = static_cast<Eigen::Index>(open.size());
    MatX H(n, n);
    VecX g_open(n);
    for (Eigen::Index a = 0; a < n; ++a) {
      VecX up = x, down = x;
      up[open[static_cast<size_t>(a)]] += kDifference;
      down[open[static_cast<size_t>(a)]] -= kDifference;
      const VecX d =
          (half_gradient(residuals, up) - half_gradient(residuals, down)) / (2 * kDifference);
      for (Eigen::Index b = 0; b < n; ++b) H(b, a) = d[open[static_cast<size_t>(b)]];
      g_open[a] = g[open[static_cast<size_t>(a)]];
    }
    // Directions of negative curvature are followed downhill, flat ones not at all.
    const SymmetricEigen eigen = symmetric_eigen(0.5 * (H + H.transpose()));
    const VecX curvature = eigen.values.cwiseAbs();
    VecX step = VecX::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (curvature[k] > 1e-9 * curvature.maxCoeff())
        step -= eigen.vectors.col(k) * eigen.vectors.col(k).dot(g_open) / curvature[k];
    bool better = false;
    for (double part = 1; part > 1e-3 && !better; part /= 4) {
      VecX trial = x;
      for (Eigen::Index k = 0; k < n; ++k) trial[open[static_cast<size_t>(k)]] += part * step[k];
      bounds.clamp(trial);
      VecX r_trial, r_now;
      residuals(trial, r_trial, nullptr);
      residuals(x, r_now, nullptr);
      // Near the end the sums are equal to rounding, and the gradient judges.
      const bool lower = r_trial.squaredNorm() < r_now.squaredNorm() * (1 - 1e-12);
      const bool flatter = r_trial.squaredNorm() <= r_now.squaredNorm() * (1 + 1e-12) &&
                           open_gradient(bounds, trial, half_gradient(residuals, trial)) < before;
      better = lower || flatter;
      if (better) x = trial;
    }
    if (!better) return;
  }
}

}  // namespace

void ik_residuals(const Skeleton& skeleton, const std::vector<IkTarget>& targets, const VecX& q,
                  SkeletonWorkspace& ws, VecX& residuals, MatX* jacobian) {
  const VecX still = VecX::Zero(q.size());
  update_kinematics(skeleton, q, still, ws);
  Eigen::Index rows = 0;
  for (const IkTarget& target : targets) rows += rows_of(target);
  residuals.resize(rows);
  MatX J, Jdot;
  if (jacobian != nullptr) {
    J.resize(6 * skeleton.body_count(), q.size());
    Jdot.resize(J.rows(), J.cols());
    update_jacobian(skeleton, ws, J, Jdot);
    jacobian->resize(rows, q.size());
  }
  Eigen::Index row = 0;
  for (const IkTarget& any : targets) {
    if (const auto* point = std::get_if<IkPoint>(&any)) {
      const Pose E = body_pose(skeleton, ws, point->body);
      const double w = std::sqrt(point->weight);
      residuals.segment<3>(row) = w * (E * point->x_B - point->x_W);
      if (jacobian != nullptr) {
        const auto J_B = J.middleRows<6>(6 * point->body.value);
        jacobian->middleRows<3>(row) =
            w * E.R * (J_B.bottomRows<3>() - skew(point->x_B) * J_B.topRows<3>());
      }
      row += 3;
    } else {
      const IkPose& pose = std::get<IkPose>(any);
      const Pose E = body_pose(skeleton, ws, pose.body);
      const double w = std::sqrt(pose.weight);
      const Vec6 r = pose.metric.difference(E, pose.E_WB);
      residuals.segment<6>(row) = w * r;
      if (jacobian != nullptr)
        jacobian->middleRows<6>(row) = w * pose.metric.difference_by_twist(E, pose.E_WB, r) *
                                       J.middleRows<6>(6 * pose.body.value);
      row += 6;
    }
  }
}

IkSolution solve_ik(const IkModel& model, const std::vector<IkTarget>& targets, const VecX& start,
                    const IkOptions& options) {
  if (targets.empty())
    throw Error("inverse kinematics", "has no targets", "give a point or a pose of a body");
  const FreeCoordinates free(model, start);
  if (free.count() == 0)
    throw Error("inverse kinematics", "has no coordinate that may move", "release some");
  SkeletonWorkspace ws(model.skeleton);
  const ResidualFunction residuals = [&](const VecX& x, VecX& r, MatX* jacobian) {
    const VecX q = free.to_all(x);
    MatX J;
    ik_residuals(model.skeleton, targets, q, ws, r, jacobian != nullptr ? &J : nullptr);
    if (jacobian != nullptr) *jacobian = free.reduced(J, q);
    return r.allFinite();
  };
  const LeastSquaresOptions how{.weights = {},
                                .evaluations = options.iterations,
                                .gradient_tolerance = 1e-14,
                                .value_tolerance = 1e-15};
  std::mt19937_64 generator(1);
  IkSolution best;
  double best_value = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.starts; ++i) {
    const VecX x0 = i == 0 ? free.from(start) : free.elsewhere(generator);
    LeastSquaresResult result = levenberg_marquardt(residuals, x0, free.bounds(), how);
    best.starts = i + 1;
    best.iterations += result.iterations;
    if (result.end == MinimizeEnd::failed) continue;
    if (target_distances(targets, result.residuals).maxCoeff() > options.met) {
      polish(residuals, free.bounds(), result.x);
      residuals(result.x, result.residuals, nullptr);
      result.value = 0.5 * result.residuals.squaredNorm();
    }
    if (!(result.value < best_value)) continue;
    best_value = result.value;
    best.q = free.to_all(result.x);
    best.distances = target_distances(targets, result.residuals);
    best.gradient = open_gradient(free.bounds(), result.x, half_gradient(residuals, result.x));
    best.converged = best.gradient <= kGradientAccepted;
    if (best.distances.maxCoeff() <= options.met) break;
  }
  if (best.q.size() == 0)
    throw Error("inverse kinematics", "has no residuals at its start", "give a finite start");
  return best;
}

}  // namespace sinew
