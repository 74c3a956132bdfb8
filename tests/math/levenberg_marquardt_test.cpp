#include "sinew/math/levenberg_marquardt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "support/qp_check.hpp"
#include "support/random.hpp"

// Numbers in brackets are those of Moré, Garbow and Hillstrom (1981), "Testing unconstrained
// optimization software", which lists starts and minima Σ r².

namespace sinew {
namespace levenberg_marquardt_test {

using test::Random;

bool rosenbrock(const VecX& x, VecX& r, MatX* J) {  // (1)
  r = Eigen::Vector2d(10 * (x[1] - x[0] * x[0]), 1 - x[0]);
  if (J) {
    J->resize(2, 2);
    *J << -20 * x[0], 10, -1, 0;
  }
  return true;
}

bool brown_badly_scaled(const VecX& x, VecX& r, MatX* J) {  // (4)
  r = Vec3(x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2);
  if (J) {
    J->resize(3, 2);
    *J << 1, 0, 0, 1, x[1], x[0];
  }
  return true;
}

bool bard(const VecX& x, VecX& r, MatX* J) {  // (8)
  constexpr double kData[] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                              0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
  r.resize(15);
  if (J) J->resize(15, 3);
  for (int i = 0; i < 15; ++i) {
    const double u = i + 1, v = 15 - i, w = std::min(u, v), d = v * x[1] + w * x[2];
    r[i] = kData[i] - (x[0] + u / d);
    if (J) J->row(i) << -1, u * v / (d * d), u * w / (d * d);
  }
  return true;
}

bool meyer(const VecX& x, VecX& r, MatX* J) {  // (10)
  constexpr double kData[] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                              8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};
  r.resize(16);
  if (J) J->resize(16, 3);
  for (int i = 0; i < 16; ++i) {
    const double d = 45 + 5 * (i + 1) + x[2], e = std::exp(x[1] / d);
    r[i] = x[0] * e - kData[i];
    if (J) J->row(i) << e, x[0] * e / d, -x[0] * e * x[1] / (d * d);
  }
  return true;
}

bool powell_singular(const VecX& x, VecX& r, MatX* J) {  // (13)
  const double a = x[1] - 2 * x[2], b = x[0] - x[3];
  r = Eigen::Vector4d(x[0] + 10 * x[1], std::sqrt(5.0) * (x[2] - x[3]), a * a,
                      std::sqrt(10.0) * b * b);
  if (J) {
    J->setZero(4, 4);
    J->row(0) << 1, 10, 0, 0;
    J->row(1) << 0, 0, std::sqrt(5.0), -std::sqrt(5.0);
    J->row(2) << 0, 2 * a, -4 * a, 0;
    J->row(3) << 2 * std::sqrt(10.0) * b, 0, 0, -2 * std::sqrt(10.0) * b;
  }
  return true;
}

bool kowalik_osborne(const VecX& x, VecX& r, MatX* J) {  // (15)
  constexpr double kData[] = {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                              0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
  constexpr double kU[] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
  r.resize(11);
  if (J) J->resize(11, 4);
  for (int i = 0; i < 11; ++i) {
    const double u = kU[i], p = u * u + u * x[1], d = u * u + u * x[2] + x[3];
    r[i] = kData[i] - x[0] * p / d;
    if (J) J->row(i) << -p / d, -x[0] * u / d, x[0] * p * u / (d * d), x[0] * p / (d * d);
  }
  return true;
}

bool osborne(const VecX& x, VecX& r, MatX* J) {  // (17)
  constexpr double kData[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818,
                              0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558,
                              0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438,
                              0.431, 0.424, 0.420, 0.414, 0.411, 0.406};
  r.resize(33);
  if (J) J->resize(33, 5);
  for (int i = 0; i < 33; ++i) {
    const double t = 10 * i, a = std::exp(-t * x[3]), b = std::exp(-t * x[4]);
    r[i] = kData[i] - (x[0] + x[1] * a + x[2] * b);
    if (J) J->row(i) << -1, -a, -b, x[1] * t * a, x[2] * t * b;
  }
  return true;
}

VecX vector(std::initializer_list<double> entries) {
  return Eigen::Map<const VecX>(entries.begin(), static_cast<Eigen::Index>(entries.size()));
}

struct Published {
  const char* name;
  ResidualFunction f;
  VecX start;
  double sum_of_squares;  // as printed, cut after a few digits
  double digit;           // a unit of the last one
};

TEST(LevenbergMarquardt, FindsThePublishedMinima) {
  const Published problems[] = {
      {"Rosenbrock", rosenbrock, vector({-1.2, 1}), 0, 1e-20},
      {"Brown", brown_badly_scaled, vector({1, 1}), 0, 1e-18},
      {"Bard", bard, vector({1, 1, 1}), 8.21487e-3, 1e-8},
      {"Meyer", meyer, vector({0.02, 4000, 250}), 87.9458, 1e-4},
      {"Powell", powell_singular, vector({3, -1, 0, 1}), 0, 1e-12},
      {"Kowalik and Osborne", kowalik_osborne, vector({0.25, 0.39, 0.415, 0.39}), 3.07505e-4, 1e-9},
      {"Osborne", osborne, vector({0.5, 1.5, -1, 0.01, 0.02}), 5.46489e-5, 1e-10},
  };
  for (const Published& problem : problems) {
    SCOPED_TRACE(problem.name);
    const LeastSquaresResult result = levenberg_marquardt(problem.f, problem.start);
    EXPECT_EQ(result.end, MinimizeEnd::converged) << to_string(result.end);
    EXPECT_GE(2 * result.value, problem.sum_of_squares);
    EXPECT_LT(2 * result.value, problem.sum_of_squares + problem.digit);
    // MINPACK takes 21 evaluations for Rosenbrock's function and 126 for Meyer's.
    EXPECT_LT(result.evaluations, 150);
    // Residuals and Jacobian are those at x.
    VecX r;
    MatX J;
    problem.f(result.x, r, &J);
    EXPECT_EQ(r, result.residuals);
    EXPECT_EQ(J, result.jacobian);
  }
}

TEST(LevenbergMarquardt, FindsThePublishedPlaces) {
  const VecX bards = levenberg_marquardt(bard, vector({1, 1, 1})).x;
  EXPECT_LT((bards - vector({0.08241, 1.1330, 2.3437})).cwiseAbs().maxCoeff(), 1e-4);  // digits
  const VecX browns = levenberg_marquardt(brown_badly_scaled, vector({1, 1})).x;
  EXPECT_NEAR(browns[0], 1e6, 1e-6);
  EXPECT_NEAR(browns[1], 2e-6, 1e-16);  // 1e-10 of the residual x₁ x₂ − 2
  // The Jacobian is singular at the minimum: each step halves the distance.
  const VecX powells = levenberg_marquardt(powell_singular, vector({3, -1, 0, 1})).x;
  EXPECT_LT(powells.norm(), 1e-3);
}

/// Largest entry of the gradient that may be followed, by the definition, relative to the lengths
/// of the two factors it is a product of.
double kkt(const ResidualFunction& f, const VecX& x, const Bounds& bounds, const VecX& start) {
  VecX r, r0;
  MatX J;
  f(start, r0, nullptr);
  f(x, r, &J);
  const VecX g = J.transpose() * r;
  double worst = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const bool low = x[k] == bounds.lower[k], high = x[k] == bounds.upper[k];
    if ((low && g[k] >= 0) || (high && g[k] <= 0)) continue;
    worst = std::max(worst, std::abs(g[k]) / (J.col(k).norm() * r0.norm()));
  }
  return worst;
}

TEST(LevenbergMarquardt, EndsAtBounds) {
  struct {
    const char* name;
    ResidualFunction f;
    VecX start, lower, upper;
    int at_bounds;
  } problems[] = {
      {"Rosenbrock", rosenbrock, vector({-1.2, 1}), vector({-2, -2}), vector({0.5, 2}), 1},
      {"Bard", bard, vector({1, 1, 1}), vector({-1, 0, 0}), vector({1, 1, 1.8}), 2},
      {"Kowalik and Osborne", kowalik_osborne, vector({0.25, 0.39, 0.415, 0.39}),
       vector({0, 0.3, 0, 0}), vector({1, 1, 1, 0.1}), 2},
      {"Osborne", osborne, vector({0.5, 1.5, -1, 0.01, 0.02}), vector({0, 0, -2, 0, 0}),
       vector({0.36, 3, 0, 1, 1}), 1},
  };
  for (const auto& problem : problems) {
    SCOPED_TRACE(problem.name);
    const Bounds bounds{problem.lower, problem.upper};
    int outside = 0;
    const auto f = [&](const VecX& x, VecX& r, MatX* J) {
      outside +=
          (x.array() < bounds.lower.array()).any() || (x.array() > bounds.upper.array()).any();
      return problem.f(x, r, J);
    };
    const LeastSquaresResult result = levenberg_marquardt(f, problem.start, bounds);
    EXPECT_EQ(result.end, MinimizeEnd::converged) << to_string(result.end);
    EXPECT_EQ(outside, 0);
    VecX start = problem.start;
    bounds.clamp(start);
    EXPECT_LE(kkt(problem.f, result.x, bounds, start), 1e-10);
    int at_bounds = 0;
    for (Eigen::Index k = 0; k < result.x.size(); ++k)
      at_bounds += result.x[k] == bounds.lower[k] || result.x[k] == bounds.upper[k];
    EXPECT_EQ(at_bounds, problem.at_bounds);
  }
}

TEST(LevenbergMarquardt, SolvesLinearProblemsWithinBoundsInOneStep) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    SCOPED_TRACE(trial);
    const MatX A = random.matx(7, 4);
    const VecX b = random.vecx(7, 3), w = random.vecx(7).cwiseAbs();
    test::QpData qp(4);
    qp.H = A.transpose() * w.asDiagonal() * A;
    qp.c = -A.transpose() * w.asDiagonal() * b;
    qp.lower.setConstant(-0.5);
    qp.upper.setConstant(0.5);
    const auto f = [&](const VecX& x, VecX& r, MatX* J) {
      r = A * x - b;
      if (J) *J = A;
      return true;
    };
    LeastSquaresOptions options;
    options.weights = w;
    const LeastSquaresResult result = levenberg_marquardt(
        f, VecX::Constant(4, 0.1), {VecX::Constant(4, -0.5), VecX::Constant(4, 0.5)}, options);
    EXPECT_EQ(result.end, MinimizeEnd::converged);
    EXPECT_LE(result.iterations, 2);  // the second mends rounding
    // Conditions of these matrices are about 1e2, squared in the enumeration.
    EXPECT_LT(test::distance(result.x, *test::minimise_by_enumeration(qp)), 1e-11);
  }
}

TEST(LevenbergMarquardt, BacksAwayFromTrialsWithoutAValue) {
  int refused = 0;
  const auto f = [&](const VecX& x, VecX& r, MatX* J) {
    if (x[0] > 1.01 || x[0] < -1.3 || std::abs(x[1]) > 1.5) return ++refused, false;
    return rosenbrock(x, r, J);
  };
  const LeastSquaresResult result = levenberg_marquardt(f, vector({-1.2, 1}));
  EXPECT_EQ(result.end, MinimizeEnd::converged);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(result.rejected, refused);
  EXPECT_NEAR(result.x[0], 1, 1e-8);
  EXPECT_EQ(levenberg_marquardt(f, vector({3, 1})).end, MinimizeEnd::failed);
  // Derivatives may be missing where the residuals are not.
  const auto half = [&](const VecX& x, VecX& r, MatX* J) {
    return !(J && x[0] > 0.7) && rosenbrock(x, r, J);
  };
  const LeastSquaresResult near = levenberg_marquardt(half, vector({-1.2, 1}));
  EXPECT_NE(near.end, MinimizeEnd::converged);
  EXPECT_LE(near.x[0], 0.7);
  EXPECT_GT(near.x[0], 0.5);
}

TEST(LevenbergMarquardt, StopsWhereItIsToldTo) {
  LeastSquaresOptions options;
  options.evaluations = 7;
  const LeastSquaresResult few = levenberg_marquardt(rosenbrock, vector({-1.2, 1}), {}, options);
  EXPECT_EQ(few.end, MinimizeEnd::evaluations);
  EXPECT_LE(few.evaluations, 7);
  double last = std::numeric_limits<double>::infinity();
  // A log that knows what all optimisers have in common will do.
  const OnIteration log = [&](const MinimizeResult& so_far) {
    EXPECT_LE(so_far.value, last);
    last = so_far.value;
    return so_far.iterations < 3;
  };
  const LeastSquaresResult stopped =
      levenberg_marquardt(rosenbrock, vector({-1.2, 1}), {}, {}, log);
  EXPECT_EQ(stopped.end, MinimizeEnd::stopped);
  EXPECT_EQ(stopped.iterations, 3);
}

TEST(LevenbergMarquardt, RefusesWhatDoesNotFit) {
  LeastSquaresOptions options;
  options.weights = vector({1, -1});
  EXPECT_THROW(levenberg_marquardt(rosenbrock, vector({0, 0}), {}, options), Error);
  options.weights = vector({1, 1, 1});
  EXPECT_THROW(levenberg_marquardt(rosenbrock, vector({0, 0}), {}, options), Error);
  EXPECT_THROW(levenberg_marquardt(rosenbrock, vector({0, 0}), {vector({1, 1}), vector({0, 2})}),
               Error);
  EXPECT_THROW(levenberg_marquardt(rosenbrock, vector({0, 0}), {vector({1}), {}}), Error);
}

}  // namespace levenberg_marquardt_test
}  // namespace sinew
