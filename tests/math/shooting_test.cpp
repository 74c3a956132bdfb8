#include "sinew/math/shooting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace sinew {
namespace shooting_test {

using test::Random;

Bounds fixed(const VecX& at) { return {at, at}; }

/// x⁺ = A x + B u + c, cost ½ xᵀQᵀQ x + ½ uᵀRᵀR u at each stage and ½ |Q x|² at the end.
struct Linear {
  MatX A, B, Q, R;
  VecX c;

  bool operator()(int, const VecX& s, const VecX& u, StageValues& values,
                  StageJacobians* jacobians) const {
    const Eigen::Index n = s.size(), m = u.size();
    values.residuals.resize(n + m);
    values.residuals << Q * s, R.topLeftCorner(m, m) * u;
    if (m > 0) values.end = A * s + B * u + c;
    if (!jacobians) return true;
    jacobians->A = A;
    jacobians->B = B;
    jacobians->Rs.setZero(n + m, n);
    jacobians->Rs.topRows(n) = Q;
    jacobians->Ru.setZero(n + m, m);
    jacobians->Ru.bottomRows(m) = R.topLeftCorner(m, m);
    return true;
  }
};

TEST(Shooting, SolvesLinearQuadraticProblemsAsRiccatisRecursionDoes) {
  Random random(1);
  constexpr int kStages = 25, n = 6, m = 3;
  Linear linear{MatX::Identity(n, n) + 0.2 * random.matx(n, n), random.matx(n, m),
                random.matx(n, n), MatX::Identity(m, m) + 0.1 * random.matx(m, m),
                0.1 * random.vecx(n)};
  const VecX first = random.vecx(n);
  ShootingProblem problem{linear, std::vector<Bounds>(kStages + 1), std::vector<Bounds>(kStages)};
  problem.states[0] = fixed(first);
  Trajectory start;
  for (int k = 0; k <= kStages; ++k) start.states.push_back(random.vecx(n));
  for (int k = 0; k < kStages; ++k) start.controls.push_back(random.vecx(m));
  ShootingOptions options;
  options.gradient_tolerance = 1e-13;
  const ShootingResult result = shoot(problem, start, options);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_LE(result.iterations, 3);  // proximal weights cost one or two

  // Value ½ xᵀP x + pᵀx, u = −K x − k.
  const MatX QQ = linear.Q.transpose() * linear.Q, RR = linear.R.transpose() * linear.R;
  MatX P = QQ;
  VecX p = VecX::Zero(n);
  std::vector<MatX> K(kStages);
  std::vector<VecX> k_0(kStages);
  for (size_t k = kStages; k-- > 0;) {
    const Eigen::LDLT<MatX> H(RR + linear.B.transpose() * P * linear.B);
    const VecX q = P * linear.c + p;
    K[k] = H.solve(linear.B.transpose() * P * linear.A);
    k_0[k] = H.solve(linear.B.transpose() * q);
    p = linear.A.transpose() * (q - P * linear.B * k_0[k]);
    P = QQ + linear.A.transpose() * P * (linear.A - linear.B * K[k]);
  }
  VecX x = first;
  for (size_t k = 0; k < kStages; ++k) {
    const VecX u = -K[k] * x - k_0[k];
    EXPECT_LT((result.controls[k] - u).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((result.states[k] - x).cwiseAbs().maxCoeff(), 1e-10);
    x = linear.A * x + linear.B * u + linear.c;
  }
}

/// A pendulum of 1 kg on 1 m, angle from hanging, under a torque that is constant in each interval
/// and costs its square.
struct Pendulum {
  double interval = 0.1;  // [s]
  int steps = 4;          // of RK4
  double damping = 0.1;   // [N m s]

  Eigen::Vector2d rate(const VecX& s, double torque) const {
    return {s[1], torque - damping * s[1] - 9.81 * std::sin(s[0])};
  }
  Eigen::Matrix2d rate_jacobian(const VecX& s) const {
    return (Eigen::Matrix2d() << 0, 1, -9.81 * std::cos(s[0]), -damping).finished();
  }

  bool operator()(int, const VecX& s, const VecX& u, StageValues& values,
                  StageJacobians* jacobians) const {
    const Eigen::Index m = u.size();
    values.residuals = std::sqrt(interval) * u;
    if (jacobians) {
      jacobians->Rs.setZero(m, 2);
      jacobians->Ru = std::sqrt(interval) * MatX::Identity(m, m);
    }
    if (m == 0) return true;
    // Columns: the state, its derivatives by both entries of s, and that by u.
    using Columns = Eigen::Matrix<double, 2, 4>;
    Columns x = Columns::Zero();
    x << s, Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero();
    const auto rates = [&](const Columns& at) {
      Columns out;
      out << rate(at.col(0), u[0]), rate_jacobian(at.col(0)) * at.rightCols(3);
      out(1, 3) += 1;
      return out;
    };
    const double h = interval / steps;
    for (int step = 0; step < steps; ++step) {
      const Columns a = rates(x), b = rates(x + h / 2 * a), c = rates(x + h / 2 * b),
                    d = rates(x + h * c);
      x += h / 6 * (a + 2 * b + 2 * c + d);
    }
    values.end = x.col(0);
    if (!x.allFinite() || std::abs(x(1, 0)) > 50) return false;
    if (jacobians) {
      jacobians->A = x.middleCols<2>(1);
      jacobians->B = x.col(3);
    }
    return true;
  }
};

TEST(Shooting, PendulumHasTheDerivativesThatItClaims) {
  const Pendulum pendulum;
  Random random(2);
  const VecX s = random.vecx(2, 2), u = random.vecx(1, 3);
  StageValues values;
  StageJacobians jacobians;
  pendulum(0, s, u, values, &jacobians);
  constexpr double h = 1e-5;  // central differences: 1e-10 of truncation and of rounding
  for (int i = 0; i < 3; ++i) {
    StageValues ends[2];
    for (const int side : {0, 1}) {
      VecX s_i = s, u_i = u;
      (i < 2 ? s_i[i] : u_i[0]) += side ? h : -h;
      pendulum(0, s_i, u_i, ends[side], nullptr);
    }
    const VecX difference = (ends[1].end - ends[0].end) / (2 * h);
    const VecX column = i < 2 ? VecX(jacobians.A.col(i)) : VecX(jacobians.B.col(0));
    EXPECT_LT((difference - column).cwiseAbs().maxCoeff(), 1e-8);
  }
}

struct SwingUp {
  explicit SwingUp(int stages, double torque) {
    problem = {Pendulum{}, std::vector<Bounds>(static_cast<size_t>(stages) + 1),
               std::vector<Bounds>(static_cast<size_t>(stages))};
    problem.states.front() = fixed(Eigen::Vector2d(0, 0));
    problem.states.back() = fixed(Eigen::Vector2d(std::numbers::pi, 0));
    for (int k = 0; k <= stages; ++k)
      start.states.push_back(Eigen::Vector2d(std::numbers::pi * k / stages, 0));
    for (int k = 0; k < stages; ++k) {
      start.controls.push_back(VecX::Zero(1));
      problem.controls[static_cast<size_t>(k)] = {VecX::Constant(1, -torque),
                                                  VecX::Constant(1, torque)};
    }
  }
  ShootingProblem problem;
  Trajectory start;
};

/// Largest entry of the gradient of the Lagrangian, and of a multiplier of the wrong sign, by the
/// definitions, relative to the largest multiplier.
double kkt_error(const ShootingProblem& problem, const ShootingResult& result) {
  double error = 0, scale = 0;
  const size_t stages = result.controls.size();
  for (size_t k = 0; k <= stages; ++k) {
    StageValues values;
    StageJacobians at;
    const VecX u = k < stages ? result.controls[k] : VecX();
    problem.stage(static_cast<int>(k), result.states[k], u, values, &at);
    VecX by_s = at.Rs.transpose() * values.residuals + result.state_multipliers[k];
    // s_k is the end of the stage before: the Lagrangian has π_k (F_{k−1} − s_k).
    by_s -= result.multipliers[k];
    if (k < stages) {
      by_s += at.A.transpose() * result.multipliers[k + 1];
      const VecX by_u = at.Ru.transpose() * values.residuals + result.control_multipliers[k] +
                        at.B.transpose() * result.multipliers[k + 1];
      error = std::max(error, by_u.cwiseAbs().maxCoeff());
      for (Eigen::Index i = 0; i < u.size(); ++i) {
        const double z = result.control_multipliers[k][i];
        scale = std::max(scale, std::abs(z));
        if (z > 0) error = std::max(error, std::min(z, problem.controls[k].upper_of(i) - u[i]));
        if (z < 0) error = std::max(error, std::min(-z, u[i] - problem.controls[k].lower_of(i)));
      }
    }
    error = std::max(error, by_s.cwiseAbs().maxCoeff());
    scale = std::max(scale, result.multipliers[k].cwiseAbs().maxCoeff());
  }
  return error / scale;
}

TEST(Shooting, SwingsAPendulumUpWithAWeakMotor) {
  const SwingUp swing(40, 4);  // 9.81 N m hold it level
  const ShootingResult result = shoot(swing.problem, swing.start);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_LE(result.gap, 1e-8);
  EXPECT_LE(result.excess, 1e-8);
  EXPECT_LE(kkt_error(swing.problem, result), 1e-8);
  int at_bounds = 0;
  for (const VecX& u : result.controls) at_bounds += std::abs(u[0]) == 4;
  EXPECT_GT(at_bounds, 3);
  // In one piece, with the torques found: gaps of 1e-8 grow on the way.
  VecX s = Eigen::Vector2d::Zero();
  for (size_t k = 0; k < result.controls.size(); ++k) {
    StageValues values;
    swing.problem.stage(static_cast<int>(k), s, result.controls[k], values, nullptr);
    s = values.end;
  }
  EXPECT_LT((s - Eigen::Vector2d(std::numbers::pi, 0)).norm(), 1e-5);
}

TEST(Shooting, EndsInOnePieceWhereItIsStoppedEarly) {
  const SwingUp swing(40, 6);
  ShootingOptions options;
  options.iterations = 8;
  const ShootingResult result = shoot(swing.problem, swing.start, options);
  EXPECT_EQ(result.end, MinimizeEnd::evaluations) << describe(result);
  EXPECT_LE(result.gap, options.gap_tolerance);
}

// The curvature that Gauss–Newton leaves out is nearly as large as the rest: without extrapolation
// the gradient falls by 0.965 per iteration.
TEST(Shooting, ExtrapolatesSlowConvergence) {
  const SwingUp swing(40, 6);
  const ShootingResult result = shoot(swing.problem, swing.start);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_LE(kkt_error(swing.problem, result), 1e-8);
  EXPECT_LT(result.iterations, 40);  // 17; more than 200 without
}

TEST(Shooting, NamesTheStageOfWhatCannotBe) {
  // Half a second is too short.
  const SwingUp swing(5, 4);
  const ShootingResult result = shoot(swing.problem, swing.start);
  EXPECT_EQ(result.end, MinimizeEnd::infeasible) << describe(result);
  EXPECT_EQ(result.excess_stage, 5);
  EXPECT_THAT(describe(result), testing::HasSubstr("at stage 5 stays"));
  // It comes as near as it can: all but one torque are at a bound, and that one stops the motion.
  int at_bounds = 0;
  for (const VecX& u : result.controls) at_bounds += std::abs(u[0]) == 4;
  EXPECT_EQ(at_bounds, 4);
  EXPECT_NEAR(result.states.back()[1], 0, 1e-8);

  SwingUp crossed(5, 4);
  crossed.problem.controls[3] = {VecX::Constant(1, 1), VecX::Constant(1, 0)};
  EXPECT_THAT(test::message_of([&] { shoot(crossed.problem, crossed.start); }),
              testing::HasSubstr("bounds of controls 3"));
}

/// At no more than 3.5 rad/s.
SwingUp slow_swing() {
  SwingUp swing(40, 6);
  for (size_t k = 1; k < 40; ++k)
    swing.problem.states[k] = {Eigen::Vector2d(-10, -3.5), Eigen::Vector2d(10, 3.5)};
  return swing;
}

TEST(Shooting, KeepsStatesWithinTheirBounds) {
  const SwingUp swing = slow_swing();
  const ShootingResult result = shoot(swing.problem, swing.start);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_LE(kkt_error(swing.problem, result), 1e-8);
  int at_bounds = 0;
  for (size_t k = 1; k < 40; ++k) {
    EXPECT_LE(std::abs(result.states[k][1]), 3.5 + 1e-8);
    at_bounds += std::abs(result.state_multipliers[k][1]) > 1e-6;
  }
  EXPECT_GT(at_bounds, 1);
}

TEST(Shooting, StartsAgainWhereItEnded) {
  const SwingUp swing = slow_swing();
  ShootingOptions options;
  options.iterations = 4;
  const ShootingResult half = shoot(swing.problem, swing.start, options);
  EXPECT_EQ(half.end, MinimizeEnd::evaluations);
  EXPECT_EQ(half.iterations, 4);
  const ShootingResult whole = shoot(swing.problem, half);
  EXPECT_EQ(whole.end, MinimizeEnd::converged) << describe(whole);
  const ShootingResult again = shoot(swing.problem, whole);
  EXPECT_EQ(again.end, MinimizeEnd::converged);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.controls[7], whole.controls[7]);
  const OnIteration log = [](const MinimizeResult& so_far) { return so_far.iterations < 2; };
  const ShootingResult stopped = shoot(swing.problem, swing.start, {}, log);
  EXPECT_EQ(stopped.end, MinimizeEnd::stopped);
  EXPECT_EQ(stopped.iterations, 2);
}

// The start is free, and a constant of the whole run is a state that does not change.
TEST(Shooting, FindsTheStartAndAConstantOfARun) {
  // x⁺ = x + h a, a⁺ = a; data 1 + 3 t at the ends of the intervals, and 1 at the start.
  const double h = 0.1;
  const auto line = [h](int k, const VecX& s, const VecX& u, StageValues& values,
                        StageJacobians* jacobians) {
    values.residuals = VecX::Constant(1, s[0] - (1 + 3 * h * k));
    values.end = Eigen::Vector2d(s[0] + h * s[1], s[1]);
    if (jacobians) {
      jacobians->A = (Eigen::Matrix2d() << 1, h, 0, 1).finished();
      jacobians->B.resize(2, 0);
      jacobians->Rs = Eigen::RowVector2d(1, 0);
      jacobians->Ru.resize(1, 0);
    }
    return u.size() == 0;
  };
  const ShootingProblem problem{line, std::vector<Bounds>(11), std::vector<Bounds>(10)};
  const Trajectory start{std::vector<VecX>(11, Eigen::Vector2d(0, 0)), std::vector<VecX>(10)};
  const ShootingResult result = shoot(problem, start);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_LT((result.states[0] - Eigen::Vector2d(1, 3)).norm(), 1e-7);
  EXPECT_LT(result.value, 1e-14);
}

TEST(Shooting, BacksAwayFromTrialsWithoutAValue) {
  const SwingUp swing(40, 4);
  ShootingProblem fragile = swing.problem;
  int refused = 0;
  fragile.stage = [&](int k, const VecX& s, const VecX& u, StageValues& values,
                      StageJacobians* jacobians) {
    if (std::abs(s[1]) > 12) return ++refused, false;
    return swing.problem.stage(k, s, u, values, jacobians);
  };
  const ShootingResult result = shoot(fragile, swing.start);
  EXPECT_EQ(result.end, MinimizeEnd::converged) << describe(result);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(result.rejected, refused);

  Trajectory start = swing.start;
  start.states[7][1] = 13;
  const ShootingResult failed = shoot(fragile, start);
  EXPECT_EQ(failed.end, MinimizeEnd::failed);
  EXPECT_EQ(describe(failed), "the start has no value: stage 7 has none");
}

// Residuals (u + 1, −3 u² + u − 1): at the optimum u = 0 the curvature that Gauss–Newton leaves out
// is three times its own, and its whole steps go to and fro (Dennis and Schnabel 1996, 10.2).
TEST(Shooting, SettlesWhereGaussNewtonGoesToAndFro) {
  ShootingProblem problem;
  problem.states.resize(2);
  problem.controls.resize(1);
  problem.states[0] = {VecX::Zero(1), VecX::Zero(1)};
  problem.stage = [](int k, const VecX& s, const VecX& u, StageValues& values,
                     StageJacobians* jacobians) {
    values.residuals = VecX::Zero(0);
    if (jacobians != nullptr) jacobians->Rs = MatX::Zero(0, 1);
    if (k == 1) return true;
    values.end = s + u;
    values.residuals.resize(2);
    values.residuals << u[0] + 1, -3 * u[0] * u[0] + u[0] - 1;
    if (jacobians == nullptr) return true;
    jacobians->A = jacobians->B = MatX::Identity(1, 1);
    jacobians->Rs = MatX::Zero(2, 1);
    jacobians->Ru.resize(2, 1);
    jacobians->Ru << 1, 1 - 6 * u[0];
    return true;
  };
  const ShootingResult found =
      shoot(problem, {{VecX::Zero(1), VecX::Zero(1)}, {VecX::Constant(1, 0.1)}});
  EXPECT_EQ(found.end, MinimizeEnd::converged) << describe(found);
  EXPECT_NEAR(found.controls[0][0], 0, 1e-7);
}

}  // namespace shooting_test
}  // namespace sinew
