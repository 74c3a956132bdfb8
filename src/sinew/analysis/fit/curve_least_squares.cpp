#include "sinew/analysis/fit/curve_least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "sinew/analysis/fit/curve_sensitivity.hpp"
#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/analysis/fit/span_length.hpp"

namespace sinew {
namespace {

// The value is known to this part of itself; the steps that it cannot judge still converge.
constexpr double kRoundingOfValue = 1e-13;

// A step along spans of equal length leaves them by its square, and their weight is large: the
// value grows, and falls again with the next steps. So many may be above the least value so far.
constexpr size_t kStepsUphill = 3;

// Weight of equal spans against that of the poses: they are equal to a hundredth of what the poses
// are missed by.
constexpr double kEvenness = 1e4;

using Mat6x24 = Eigen::Matrix<double, 6, 24>;

/// A pose in the sum: r, its derivative by the twists of four frames, and by q.
struct PoseTerm {
  std::array<int, 4> frames;
  Mat6x24 J;
  Vec6 r;
  Vec6 by_q;
  bool free_q = false;  ///< found, and not held
  /// What is left of r and J when q follows: Schur's complement of q, a projection along ∂r/∂q.
  Vec6 r_left;
};

/// Everything of the problem at one estimate.
struct Assembly {
  CurveNormalEquations equations;
  std::vector<PoseTerm> terms;
};

/// matrix += w JᵀJ and gradient += w Jᵀr on the blocks of four frames.
void add_rows(const std::array<int, 4>& frames, const Mat6x24& J, const Vec6& r, double w,
              CurveNormalEquations& out) {
  const Eigen::Matrix<double, 24, 24> JtJ = w * J.transpose() * J;
  const Eigen::Matrix<double, 24, 1> Jtr = w * J.transpose() * r;
  for (int a = 0; a < 4; ++a) {
    out.gradient.segment<6>(6 * frames[a]) += Jtr.segment<6>(6 * a);
    for (int b = 0; b < 4; ++b)
      out.matrix.block<6, 6>(6 * frames[a], 6 * frames[b]) += JtJ.block<6, 6>(6 * a, 6 * b);
  }
  out.value += w * r.squaredNorm();
}

/// Gauss's two points on every span integrate a cubic, and |S′|² of frames close together is of
/// second degree.
void add_smoothing(const CurveProblem& problem, const CurveSensitivity& sensitivity,
                   const CubicBSpline& spline, CurveNormalEquations& out) {
  const Mat6& W = problem.metric.twist_weight();
  const std::vector<double>& breaks = spline.breaks();
  const double offset = 0.5 / std::sqrt(3.0);
  for (size_t k = 0; k + 1 < breaks.size(); ++k) {
    const double width = breaks[k + 1] - breaks[k], middle = 0.5 * (breaks[k + 1] + breaks[k]);
    for (const double side : {-offset, offset}) {
      const CurveRateSensitivity rate = sensitivity.rates(middle + side * width);
      Mat6x24 J;
      for (int a = 0; a < 4; ++a) J.middleCols<6>(6 * a) = W * rate.ddSdq[a];
      add_rows(rate.frames, J, W * rate.dSdq, problem.smoothing * 0.5 * width, out);
    }
  }
}

/// w (l₂ − l₁)² with the derivatives of two lengths.
void add_equality(const CurveLength& one, const CurveLength& other, double w,
                  CurveNormalEquations& out) {
  VecX J = VecX::Zero(out.gradient.size());
  for (int a = 0; a < 4; ++a) {
    J.segment<6>(6 * one.frames[a]) -= one.by_frames[a];
    J.segment<6>(6 * other.frames[a]) += other.by_frames[a];
  }
  const double r = other.length - one.length;
  out.matrix.noalias() += w * J * J.transpose();
  out.gradient += w * r * J;
  out.value += w * r * r;
}

/// Where q is found, the poses do not say where the frames lie along the curve. That all spans are
/// equally long does; and, since a spline has two more values than knots, that an open curve begins
/// and ends with the speed of its first and last span. This takes no freedom of shape, so that its
/// weight may be large.
void add_evenness(const CurveProblem& problem, const CurveSensitivity& sensitivity,
                  const CubicBSpline& spline, CurveNormalEquations& out) {
  const std::vector<CurveLength> spans = span_lengths(sensitivity, spline, problem.metric);
  const double w = kEvenness * problem.weights.sum();
  for (size_t k = 0; k + 1 < spans.size(); ++k) add_equality(spans[k], spans[k + 1], w, out);
  if (spline.ends() == SplineEnds::cyclic) {
    add_equality(spans.back(), spans.front(), w, out);
    return;
  }
  const double width = spline.breaks()[1] - spline.breaks()[0];
  add_equality(spans.front(), length_at_speed(sensitivity, spline.begin(), width, problem.metric),
               w, out);
  add_equality(spans.back(), length_at_speed(sensitivity, spline.end(), width, problem.metric), w,
               out);
}

/// out without its part along the curve, where ∂r/∂q is by_q.
template <typename Out>
void remove_along(const Vec6& by_q, Out& out) {
  const Vec6 t = by_q.normalized();
  out -= (t * (t.transpose() * out)).eval();
}

/// Where q may be. Poses that do not count may lie beyond the ends, where an open curve goes on.
std::pair<double, double> range_of_q(const CubicBSpline& spline, double weight) {
  if (spline.ends() == SplineEnds::cyclic) return {-INFINITY, INFINITY};
  const double beyond = weight > 0 ? 0 : spline.breaks()[1] - spline.breaks()[0];
  return {spline.begin() - beyond, spline.end() + beyond};
}

Assembly assemble(const CurveProblem& problem, const CurveEstimate& at) {
  const auto n = static_cast<Eigen::Index>(6 * at.frames.size());
  const auto poses = static_cast<Eigen::Index>(problem.poses.size());
  Assembly out;
  CurveNormalEquations& equations = out.equations;
  equations.matrix = MatX::Zero(n, n);
  equations.gradient = VecX::Zero(n);
  equations.distances = VecX::Zero(poses);
  out.terms.resize(problem.poses.size());
  const CurveSensitivity sensitivity(at.frames, at.spline);
  const auto [first, last] = ends_of_counted(problem.weights);
  for (Eigen::Index k = 0; k < poses; ++k) {
    const Pose& G = problem.poses[static_cast<size_t>(k)];
    const CurvePoseSensitivity pose = sensitivity.pose(at.q[k]);
    PoseTerm& term = out.terms[static_cast<size_t>(k)];
    term.frames = pose.frames;
    term.r = problem.metric.difference(pose.Q, G);
    const Mat6 D = problem.metric.difference_by_twist(pose.Q, G, term.r);
    for (int a = 0; a < 4; ++a) term.J.middleCols<6>(6 * a) = D * pose.dQ[a];
    term.by_q = D * pose.S;
    // Nothing else says where the curve begins, and an open one ends.
    const bool held = k == first || (k == last && at.spline.ends() == SplineEnds::open);
    // At the end of the range q stays where it would go further.
    const double downwards = term.by_q.dot(term.r);
    const auto [least, largest] = range_of_q(at.spline, problem.weights[k]);
    const bool at_end =
        (at.q[k] <= least && downwards > 0) || (at.q[k] >= largest && downwards < 0);
    term.free_q = problem.find_q && !held && !at_end;
    term.r_left = term.r;
    Mat6x24 J_left = term.J;
    if (term.free_q) {
      remove_along(term.by_q, term.r_left);
      remove_along(term.by_q, J_left);
    }
    equations.distances[k] = term.r.norm();
    add_rows(term.frames, J_left, term.r_left, problem.weights[k], equations);
    // The value counts all of r: what q can still remove is removed in the same step.
    equations.value += problem.weights[k] * (term.r.squaredNorm() - term.r_left.squaredNorm());
  }
  if (problem.smoothing > 0) add_smoothing(problem, sensitivity, at.spline, equations);
  if (problem.find_q) add_evenness(problem, sensitivity, at.spline, equations);
  return out;
}

struct Iterate {
  CurveEstimate estimate;
  Assembly at;
};

/// Frames and q after the step u.
CurveEstimate moved_by(const CurveEstimate& from, const std::vector<PoseTerm>& terms,
                       const VecX& weights, const VecX& u) {
  CurveEstimate to = from;
  for (size_t j = 0; j < to.frames.size(); ++j) {
    Pose& frame = to.frames[j];
    frame = frame * exp(Vec6(u.segment<6>(static_cast<Eigen::Index>(6 * j))));
  }
  for (size_t k = 0; k < terms.size(); ++k) {
    const PoseTerm& term = terms[k];
    if (!term.free_q) continue;
    Vec6 r = term.r;
    for (int a = 0; a < 4; ++a) r += term.J.middleCols<6>(6 * a) * u.segment<6>(6 * term.frames[a]);
    const auto i = static_cast<Eigen::Index>(k);
    const auto [least, largest] = range_of_q(from.spline, weights[i]);
    to.q[i] = std::clamp(to.q[i] - term.by_q.dot(r) / term.by_q.squaredNorm(), least, largest);
  }
  return to;
}

/// Leave-one-out distances and the parameters in use, from the matrix's inverse: with
/// H = w J A⁻¹ Jᵀ of a pose, the curve without it misses it by (1 − H)⁻¹ r.
void add_influence(const CurveProblem& problem, const std::vector<PoseTerm>& terms,
                   const MatX& inverse, CurveNormalEquations& out) {
  out.left_out = out.standardized = VecX::Zero(out.distances.size());
  out.trace = 0;
  for (size_t k = 0; k < terms.size(); ++k) {
    const PoseTerm& term = terms[k];
    Eigen::Matrix<double, 24, 24> block;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        block.block<6, 6>(6 * a, 6 * b) =
            inverse.block<6, 6>(6 * term.frames[a], 6 * term.frames[b]);
    Mat6x24 J = term.J;
    Vec6 r = term.r;
    if (term.free_q) remove_along(term.by_q, J);
    const auto i = static_cast<Eigen::Index>(k);
    out.trace += problem.weights[i] * (J * block * J.transpose()).trace();
    // A pose that holds an end says alone where along the curve that is: without it, as of the
    // others, only the distance across the curve is known.
    if (problem.find_q) {
      remove_along(term.by_q, J);
      remove_along(term.by_q, r);
    }
    // Left out, a pose has no weight: its own distance does not follow from w where w is 0.
    const Mat6 B = J * block * J.transpose();
    const Eigen::PartialPivLU<Mat6> left(Mat6::Identity() - problem.weights[i] * B);
    const Vec6 away = left.solve(r);
    out.left_out[i] = away.norm();
    // Its own noise, and that of the curve without it, which the ends of a curve have more of.
    const Mat6 variance = Mat6::Identity() + B * left.inverse();
    out.standardized[i] = std::sqrt(std::max(0.0, away.dot(variance.partialPivLu().solve(away))));
  }
}

/// The largest movement of a frame [m].
double largest_step(const PoseMetric& metric, const VecX& u) {
  double out = 0;
  for (Eigen::Index j = 0; j < u.size(); j += 6)
    out = std::max(out, metric.length(u.segment<6>(j)));
  return out;
}

/// Solves (A + μ diag A) u = −g; false if that is not positive definite.
bool solve_damped(const CurveNormalEquations& equations, double damping, VecX& u) {
  MatX A = equations.matrix;
  A.diagonal() *= 1 + damping;
  const Eigen::LLT<MatX> factor(A);
  if (factor.info() != Eigen::Success) return false;
  u = factor.solve(-equations.gradient);
  return u.allFinite();
}

}  // namespace

std::pair<Eigen::Index, Eigen::Index> ends_of_counted(const VecX& weights) {
  Eigen::Index first = 0, last = weights.size() - 1;
  while (first < last && weights[first] <= 0) ++first;
  while (last > first && weights[last] <= 0) --last;
  return {first, last};
}

CurveNormalEquations curve_equations(const CurveProblem& problem, const CurveEstimate& at) {
  return assemble(problem, at).equations;
}

CurveSolution solve_curve(const CurveProblem& problem, CurveEstimate start) {
  CurveSolution out;
  const double scale = extent_of(problem.poses, problem.metric);
  // The least value so far, and where the next step begins.
  Iterate best{start, assemble(problem, start)};
  Iterate now = best;
  double damping = 0;
  std::vector<double> uphill;  // steps since the least value
  while (out.iterations < problem.iterations && !out.converged) {
    VecX u;
    const bool solved = solve_damped(now.at.equations, damping, u);
    if (solved) {
      Iterate next;
      next.estimate = moved_by(now.estimate, now.at.terms, problem.weights, u);
      next.at = assemble(problem, next.estimate);
      const double step = largest_step(problem.metric, u);
      const double bound = best.at.equations.value * (1 + kRoundingOfValue);
      // Steps of the size of rounding may make the value neither better nor worse.
      const bool small = uphill.empty() && step <= problem.step_tolerance * scale;
      const bool lower = small || next.at.equations.value <= bound;
      if (lower || (damping == 0 && uphill.size() < kStepsUphill)) {
        now = std::move(next);
        uphill.push_back(step);
        if (!lower) continue;
        best = now;
        damping = damping < 1e-9 ? 0 : damping / 10;
        out.steps.insert(out.steps.end(), uphill.begin(), uphill.end());
        out.iterations = static_cast<int>(out.steps.size());
        uphill.clear();
        out.converged = small;
        continue;
      }
    }
    now = best;
    uphill.clear();
    damping = damping == 0 ? 1e-6 : 10 * damping;
    // No descent even along the gradient: what is left is rounding.
    if (damping > 1e6) {
      out.converged = solved;
      break;
    }
  }
  out.estimate = std::move(best.estimate);
  const Eigen::LDLT<MatX> factor(best.at.equations.matrix);
  const VecX pivots = factor.vectorD();
  // Below, the inverse has no correct digit.
  out.determined = factor.info() == Eigen::Success && pivots.minCoeff() > 1e-14 * pivots.maxCoeff();
  if (out.determined) {
    out.inverse = factor.solve(MatX::Identity(pivots.size(), pivots.size()));
    add_influence(problem, best.at.terms, out.inverse, best.at.equations);
  }
  out.equations = std::move(best.at.equations);
  return out;
}

}  // namespace sinew
