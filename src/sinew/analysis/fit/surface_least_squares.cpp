#include "sinew/analysis/fit/surface_least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/math/dense_solve.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

// Ends where no control value moves further than this part of the largest distance between poses.
constexpr double kSurfaceStepTolerance = 1e-12;
// The value is known to this part of itself; steps that it cannot judge still converge.
constexpr double kRoundingOfSum = 1e-13;
// Where q are found, the fit also ends where a step lowers the sum by less than this part: layouts
// of the same surface differ by less and less.
constexpr double kSurfaceSumTolerance = 1e-5;
// Smoothing that decides only where poses do not.
constexpr double kFaintSmoothing = 1e-12;

using Mat62 = Eigen::Matrix<double, 6, 2>;

/// The sixteen control values that count at one q, and their weights N and derivatives.
struct SurfaceWeights {
  std::array<int, 16> value;  ///< number of the control value, row by row
  std::array<double, 16> N, N_1, N_2, N_11, N_12, N_22;

  SurfaceWeights(const std::array<CubicBSpline, 2>& splines, double q1, double q2) {
    const CubicBasis columns = splines[0].basis(q1), rows = splines[1].basis(q2);
    const int n_columns = splines[0].control_values(), n_rows = splines[1].control_values();
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const auto a = static_cast<size_t>(4 * i + j);
        value[a] = (rows.first + i) % n_rows * n_columns + (columns.first + j) % n_columns;
        N[a] = rows.d[0][i] * columns.d[0][j];
        N_1[a] = rows.d[0][i] * columns.d[1][j];
        N_2[a] = rows.d[1][i] * columns.d[0][j];
        N_11[a] = rows.d[0][i] * columns.d[2][j];
        N_12[a] = rows.d[1][i] * columns.d[1][j];
        N_22[a] = rows.d[2][i] * columns.d[0][j];
      }
  }
};

/// The six functions and their derivatives from weights.
Vec6 weighted(const std::array<MatX, 6>& grids, const SurfaceWeights& at,
              const std::array<double, 16>& weights) {
  Vec6 out = Vec6::Zero();
  const Eigen::Index columns = grids[0].cols();
  for (size_t a = 0; a < 16; ++a)
    for (int k = 0; k < 6; ++k)
      out[k] +=
          weights[a] * grids[static_cast<size_t>(k)](at.value[a] / columns, at.value[a] % columns);
  return out;
}

/// A pose in the sum: its difference, and the derivatives by the six functions and by q.
struct SurfaceTerm {
  Vec6 r;
  Mat6 by_f;
  Mat62 by_q;
};

SurfaceTerm surface_term(const SurfaceProblem& problem, const std::array<MatX, 6>& grids,
                         const SurfaceWeights& at, const Pose& G) {
  const Vec6 f = weighted(grids, at, at.N);
  const Mat3 Rz = rotation_about(Vec3::UnitZ(), f[5]);
  const Mat3 Ryz = rotation_about(Vec3::UnitY(), f[4]) * Rz;
  const Mat3 R = rotation_about(Vec3::UnitX(), f[3]) * Ryz;
  Mat6 twists = Mat6::Zero();  // of the moving frame, by each function
  twists.block<3, 3>(3, 0) = R.transpose();
  twists.block<3, 1>(0, 3) = Ryz.transpose().col(0);
  twists.block<3, 1>(0, 4) = Rz.transpose().col(1);
  twists(2, 5) = 1;
  const Pose E = problem.E_PJ * Pose{R, f.head<3>()} * problem.E_JB;
  SurfaceTerm out;
  out.r = problem.metric.difference(E, G);
  const Mat6 D = problem.metric.difference_by_twist(E, G, out.r);
  out.by_f = D * (Ad(problem.E_JB.inverse()) * twists);
  out.by_q.col(0) = out.by_f * weighted(grids, at, at.N_1);
  out.by_q.col(1) = out.by_f * weighted(grids, at, at.N_2);
  return out;
}

/// δq with which by_q δq comes closest to −x.
Eigen::Vector2d followed(const Mat62& by_q, const Vec6& x) {
  const double a = by_q.col(0).squaredNorm(), b = by_q.col(0).dot(by_q.col(1)),
               c = by_q.col(1).squaredNorm();
  const double determinant = a * c - b * b;
  // Where both coordinates move the body alike, q stays.
  if (!(determinant > 1e-12 * a * c)) return Eigen::Vector2d::Zero();
  const double x1 = by_q.col(0).dot(x), x2 = by_q.col(1).dot(x);
  return {(b * x2 - c * x1) / determinant, (b * x1 - a * x2) / determinant};
}

/// How much a rotation about each axis counts as a length: 1 for the translations.
Vec6 scales_of(const PoseMetric& metric) {
  const double length = metric.twist_weight().topLeftCorner<3, 3>().norm() / std::sqrt(3.0);
  Vec6 out = Vec6::Ones();
  out.tail<3>().setConstant(length);
  return out;
}

/// Calls visit(weights at the point, share of the area) for Gauss's three points of
/// every span, both ways: exact for squares of second derivatives of cubics.
template <class Visit>
void for_smoothing_points(const std::array<CubicBSpline, 2>& splines, const Visit& visit) {
  constexpr std::array<double, 3> kPoints{-0.7745966692414834, 0, 0.7745966692414834};
  constexpr std::array<double, 3> kWeights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  const std::vector<double>&x = splines[0].breaks(), &y = splines[1].breaks();
  for (size_t i = 0; i + 1 < x.size(); ++i)
    for (size_t j = 0; j + 1 < y.size(); ++j)
      for (size_t a = 0; a < 3; ++a)
        for (size_t b = 0; b < 3; ++b) {
          const double q1 = 0.5 * (x[i] + x[i + 1] + kPoints[a] * (x[i + 1] - x[i]));
          const double q2 = 0.5 * (y[j] + y[j + 1] + kPoints[b] * (y[j + 1] - y[j]));
          const double share =
              kWeights[a] * kWeights[b] / static_cast<double>((x.size() - 1) * (y.size() - 1));
          visit(SurfaceWeights(splines, q1, q2), share);
        }
}

/// The three second derivatives by u and v of 0 … 1, each with the root of how often it counts.
std::array<std::array<double, 16>, 3> curvatures(const std::array<CubicBSpline, 2>& splines,
                                                 const SurfaceWeights& at) {
  const double r1 = splines[0].end() - splines[0].begin();
  const double r2 = splines[1].end() - splines[1].begin();
  std::array<std::array<double, 16>, 3> out;
  for (size_t a = 0; a < 16; ++a) {
    out[0][a] = r1 * r1 * at.N_11[a];
    out[1][a] = std::sqrt(2.0) * r1 * r2 * at.N_12[a];
    out[2][a] = r2 * r2 * at.N_22[a];
  }
  return out;
}

/// What smoothing adds to the value.
double smoothing_value(const SurfaceProblem& problem, const std::array<MatX, 6>& grids) {
  if (!(problem.smoothing > 0)) return 0;
  const Vec6 scales = scales_of(problem.metric);
  double sum = 0;
  for_smoothing_points(problem.splines, [&](const SurfaceWeights& at, double share) {
    for (const std::array<double, 16>& c : curvatures(problem.splines, at))
      sum += share * scales.cwiseProduct(weighted(grids, at, c)).squaredNorm();
  });
  return problem.smoothing * static_cast<double>(problem.poses.size()) * sum;
}

/// What it adds to the matrix and the gradient.
void add_smoothing(const SurfaceProblem& problem, const std::array<MatX, 6>& grids,
                   SurfaceNormalEquations& out) {
  const Vec6 squares = scales_of(problem.metric).cwiseAbs2() * problem.smoothing *
                       static_cast<double>(problem.poses.size());
  for_smoothing_points(problem.splines, [&](const SurfaceWeights& at, double share) {
    for (const std::array<double, 16>& c : curvatures(problem.splines, at)) {
      const Vec6 f = weighted(grids, at, c);
      for (size_t a = 0; a < 16; ++a)
        for (int k = 0; k < 6; ++k) {
          const double weight = share * squares[k] * c[a];
          const Eigen::Index row = 6 * at.value[a] + k;
          out.gradient[row] += weight * f[k];
          for (size_t b = 0; b < 16; ++b) out.matrix(row, 6 * at.value[b] + k) += weight * c[b];
        }
    }
  });
}

SurfaceWeights weights_at(const SurfaceProblem& problem, const SurfaceEstimate& at,
                          Eigen::Index k) {
  return {problem.splines, at.q(0, k), at.q(1, k)};
}

double value_of(const SurfaceProblem& problem, const SurfaceEstimate& at) {
  double sum = 0;
  for (Eigen::Index k = 0; k < at.q.cols(); ++k)
    sum += surface_term(problem, at.grids, weights_at(problem, at, k),
                        problem.poses[static_cast<size_t>(k)])
               .r.squaredNorm();
  return sum + smoothing_value(problem, at.grids);
}

/// The estimate after a step of the control values; q follow.
SurfaceEstimate moved_by(const SurfaceProblem& problem, const SurfaceEstimate& from,
                         const VecX& step) {
  SurfaceEstimate to = from;
  for (Eigen::Index a = 0; a < step.size() / 6; ++a)
    for (size_t k = 0; k < 6; ++k)
      to.grids[k](a / to.grids[k].cols(), a % to.grids[k].cols()) +=
          step[6 * a + static_cast<Eigen::Index>(k)];
  if (!problem.find_q) return to;
  for (Eigen::Index k = 0; k < from.q.cols(); ++k) {
    const SurfaceWeights at = weights_at(problem, from, k);
    const SurfaceTerm term =
        surface_term(problem, from.grids, at, problem.poses[static_cast<size_t>(k)]);
    Vec6 df = Vec6::Zero();
    for (size_t a = 0; a < 16; ++a) df += at.N[a] * step.segment<6>(6 * at.value[a]);
    to.q.col(k) += followed(term.by_q, term.r + term.by_f * df);
  }
  return to;
}

/// Throws for the first control value that has no influence on any pose.
void check_determined(const SurfaceProblem& problem, const MatX& matrix) {
  const VecX diagonal = matrix.diagonal();
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (!(diagonal[i] > 1e-13 * diagonal.maxCoeff())) {
      const Eigen::Index value = i / 6, columns = problem.splines[0].control_values();
      throw Error("fit",
                  "no pose determines the control value in row " +
                      std::to_string(value / columns + 1) + ", column " +
                      std::to_string(value % columns + 1) + " of the surface",
                  "give poses there, ask for fewer control values, or smooth");
    }
}

double movement(const VecX& step, const Vec6& scales) {
  double largest = 0;
  for (Eigen::Index i = 0; i < step.size(); ++i)
    largest = std::max(largest, scales[i % 6] * std::abs(step[i]));
  return largest;
}

}  // namespace

Vec6 surface_coordinates(const Pose& Q) {
  Vec6 out;
  out << Q.p, std::atan2(-Q.R(1, 2), Q.R(2, 2)), std::asin(std::clamp(Q.R(0, 2), -1.0, 1.0)),
      std::atan2(-Q.R(0, 1), Q.R(0, 0));
  return out;
}

SurfaceNormalEquations surface_equations(const SurfaceProblem& problem, const SurfaceEstimate& at) {
  const Eigen::Index n = 6 * at.grids[0].size(), poses = at.q.cols();
  SurfaceNormalEquations out;
  out.matrix = MatX::Zero(n, n);
  out.gradient = VecX::Zero(n);
  out.q_gradient = MatX::Zero(2, poses);
  out.distances = VecX::Zero(poses);
  for (Eigen::Index k = 0; k < poses; ++k) {
    const SurfaceWeights weights = weights_at(problem, at, k);
    const SurfaceTerm term =
        surface_term(problem, at.grids, weights, problem.poses[static_cast<size_t>(k)]);
    Mat6 by_f = term.by_f;
    Vec6 r = term.r;
    if (problem.find_q) {
      // What is left when q follows.
      out.q_gradient.col(k) = term.by_q.transpose() * term.r;
      r += term.by_q * followed(term.by_q, term.r);
      for (int i = 0; i < 6; ++i) by_f.col(i) += term.by_q * followed(term.by_q, term.by_f.col(i));
    }
    const Mat6 C = by_f.transpose() * by_f;
    const Vec6 c = by_f.transpose() * r;
    for (size_t a = 0; a < 16; ++a) {
      out.gradient.segment<6>(6 * weights.value[a]) += weights.N[a] * c;
      for (size_t b = 0; b < 16; ++b)
        out.matrix.block<6, 6>(6 * weights.value[a], 6 * weights.value[b]) +=
            weights.N[a] * weights.N[b] * C;
    }
    out.distances[k] = term.r.norm();
    out.value += term.r.squaredNorm();
  }
  out.value += smoothing_value(problem, at.grids);
  if (problem.smoothing > 0) add_smoothing(problem, at.grids, out);
  return out;
}

SurfaceEstimate surface_start(const SurfaceProblem& problem, const MatX& q) {
  const Eigen::Index rows = problem.splines[1].control_values(),
                     columns = problem.splines[0].control_values(), n = rows * columns;
  MatX A = MatX::Zero(n, n), b = MatX::Zero(n, 6);
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    const SurfaceWeights at(problem.splines, q(0, k), q(1, k));
    const Vec6 f = surface_coordinates(
        problem.E_PJ.inverse() * problem.poses[static_cast<size_t>(k)] * problem.E_JB.inverse());
    for (size_t i = 0; i < 16; ++i) {
      b.row(at.value[i]) += at.N[i] * f.transpose();
      for (size_t j = 0; j < 16; ++j) A(at.value[i], at.value[j]) += at.N[i] * at.N[j];
    }
  }
  const double lambda =
      std::max(problem.smoothing, kFaintSmoothing) * static_cast<double>(q.cols());
  for_smoothing_points(problem.splines, [&](const SurfaceWeights& at, double share) {
    for (const std::array<double, 16>& c : curvatures(problem.splines, at))
      for (size_t i = 0; i < 16; ++i)
        for (size_t j = 0; j < 16; ++j) A(at.value[i], at.value[j]) += lambda * share * c[i] * c[j];
  });
  LdltFactor factor(n);
  if (!factor.factor(A))
    throw Error("fit", "the poses do not determine a surface",
                "give poses that vary in both coordinates");
  SurfaceEstimate out{.grids = {}, .q = q};
  for (size_t k = 0; k < 6; ++k) {
    VecX x = b.col(static_cast<Eigen::Index>(k));
    factor.solve_in_place(x);
    out.grids[k].resize(rows, columns);
    for (Eigen::Index a = 0; a < n; ++a) out.grids[k](a / columns, a % columns) = x[a];
  }
  return out;
}

SurfaceSolution solve_surface(const SurfaceProblem& problem, SurfaceEstimate start) {
  const Vec6 scales = scales_of(problem.metric);
  double extent = 0;
  for (const Pose& pose : problem.poses)
    extent = std::max(extent, problem.metric.distance(problem.poses.front(), pose));
  SurfaceSolution out;
  out.estimate = std::move(start);
  SurfaceNormalEquations now = surface_equations(problem, out.estimate);
  check_determined(problem, now.matrix);
  LdltFactor factor(now.matrix.rows());
  // A surface whose q are found can be laid out in many ways: a little damping chooses.
  const double least = problem.find_q ? 1e-9 : 0;
  double damping = least;
  while (out.iterations < problem.iterations && !out.converged) {
    ++out.iterations;
    bool better = false;
    VecX step;
    while (!better && damping < 1e6) {
      MatX A = now.matrix;
      A.diagonal() *= 1 + damping;
      if (factor.factor(A)) {
        step = -now.gradient;
        factor.solve_in_place(step);
        SurfaceEstimate trial = moved_by(problem, out.estimate, step);
        // Equal to rounding is good enough: the steps shrink by themselves.
        better = step.allFinite() && value_of(problem, trial) <= now.value * (1 + kRoundingOfSum);
        if (better) out.estimate = std::move(trial);
      } else if (damping == 0) {
        throw Error("fit", "the poses do not determine all control values of the surface",
                    "give more poses, ask for fewer control values, or smooth");
      }
      if (!better) damping = std::max(10 * damping, 1e-6);
    }
    if (!better) break;
    out.steps.push_back(movement(step, scales));
    damping = damping > 1e-5 ? damping / 10 : least;
    const double before = now.value;
    now = surface_equations(problem, out.estimate);
    out.converged = out.steps.back() <= kSurfaceStepTolerance * extent ||
                    (problem.find_q && before - now.value <= kSurfaceSumTolerance * before);
  }
  out.distances = now.distances;
  return out;
}

}  // namespace sinew
