#include "sinew/analysis/fit/curve_fit.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "sinew/analysis/fit/curve_least_squares.hpp"
#include "sinew/analysis/fit/curve_sensitivity.hpp"
#include "sinew/analysis/fit/curve_start.hpp"
#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/analysis/fit/robust_weights.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Mean of w d² over that of w times 6, for six normal numbers: the biweight leaves out of the
// deviation what lies far off.
constexpr double kBiweightVariance = 0.8966;

/// One fit: its data, and the choices made on the way.
class CurveFitter {
 public:
  CurveFitter(const std::vector<Pose>& poses, const VecX& q, bool find_q, double begin, double end,
              const CurveFitOptions& options)
      : poses_(checked_poses(poses)),
        options_(options),
        find_q_(find_q),
        q_(q),
        begin_(begin),
        end_(end),
        weights_(VecX::Ones(static_cast<Eigen::Index>(poses.size()))) {}

  CurveFit fit() {
    if (options_.robust && find_q_) {
      // A curve of many frames would go through poses that lie far off, and take q along. Curves of
      // few tell which these are.
      const CurveFitOptions asked = options_;
      options_.frames = 0;
      options_.tolerance = 0;
      options_.smoothing = 0;
      weighted();
      options_ = asked;
    }
    return result(weighted());
  }

 private:
  int poses() const { return static_cast<int>(poses_.size()); }
  /// Exact data leave nothing but rounding: below a billionth of the motion all fits are equal.
  double rounding() const { return 1e-9 * extent_of(poses_, options_.metric); }

  /// The fit with weights that no longer change.
  CurveSolution weighted() {
    // Poses that do not count may be beyond the tolerance; until they are known, the BIC chooses.
    choose_frames(options_.robust ? 0 : options_.tolerance);
    smoothing_ = options_.smoothing.value_or(0);
    CurveSolution solution = smoothed();
    for (int round = 0; options_.robust && round < kRobustRounds; ++round) {
      const VecX before = weights_;
      const int frames_before = n_;
      weigh_by(solution);
      choose_frames(options_.tolerance);
      solution = smoothed();
      if (n_ == frames_before && (weights_ - before).cwiseAbs().maxCoeff() < kRobustWeightChange)
        break;
    }
    return solution;
  }

  /// Weights by how far poses lie from the curve that is fitted without them.
  void weigh_by(const CurveSolution& solution) {
    // Where q is found, it takes one of six components.
    weights_ = biweights(solution.equations.standardized, find_q_ ? 5 : 6, rounding());
    if (!find_q_) return;
    hold_ends();
    // The next curve begins, and ends, at the first and last pose that still counts.
    const auto [first, last] = ends_of_counted(weights_);
    q_ = solution.estimate.q.array() + (begin_ - solution.estimate.q[first]);
    if (options_.ends == SplineEnds::cyclic) return;
    // Of rows out of order the last may be anywhere.
    if (const double range = q_[last] - begin_; range > 0)
      q_ = begin_ + (q_.array() - begin_) * ((end_ - begin_) / range);
    q_ = q_.cwiseMax(begin_).cwiseMin(end_);
  }

  /// Poses that hold the ends of a curve count in full: with less weight, smoothing would draw the
  /// ends in. Where one would count less than a tenth, the next one holds the end.
  void hold_ends() {
    const auto hold = [](auto begin, auto end) {
      for (; begin != end && *begin < 0.1; ++begin) *begin = 0;
      if (begin != end) *begin = 1;
    };
    hold(weights_.begin(), weights_.end());
    if (options_.ends == SplineEnds::open)
      hold(std::make_reverse_iterator(weights_.end()),
           std::make_reverse_iterator(weights_.begin()));
  }

  CurveSolution solve(double smoothing, CurveEstimate start) const {
    // Without unit: |S′| is a length over the square of the range, and is integrated over it.
    const double range = start.spline.end() - start.spline.begin();
    const CurveProblem problem{.poses = poses_,
                               .metric = options_.metric,
                               .weights = weights_,
                               .smoothing = smoothing * weights_.sum() * std::pow(range, 3),
                               .find_q = find_q_,
                               .iterations = options_.iterations};
    return solve_curve(problem, std::move(start));
  }

  CurveEstimate start(int n) const {
    return start_on_poses(poses_, q_, weights_, CubicBSpline::Even(begin_, end_, n, options_.ends));
  }

  /// The fit with the weight that is given, or the one by which the curve without a pose comes
  /// closest to that pose, over all poses.
  CurveSolution smoothed() {
    if (!options_.smoothing) smoothing_ = cross_validated();
    CurveSolution solution = solve(smoothing_, start(n_));
    if (!solution.determined) refuse(n_);
    if (find_q_) check_length(solution.estimate);
    return solution;
  }

  double cross_validation(double exponent, CurveEstimate& at) const {
    // Where q is found, a curve that was too stiff may have shrunk, and a loop to a point, from
    // which no fit comes back.
    CurveSolution solution = solve(std::pow(10, exponent), find_q_ ? start(n_) : at);
    if (!solution.determined || !solution.converged) return kInfinity;
    at = std::move(solution.estimate);
    const VecX& d = solution.equations.left_out;
    // Squares would listen to the outliers that a robust fit is to ignore.
    return options_.robust ? weights_.dot(d) : weights_.dot(d.cwiseAbs2());
  }

  double cross_validated() const {
    // From stiff to loose: each fit begins at the one before. A weight of 10 leaves a screw motion,
    // one of 1e-12 nothing of the smoothing.
    CurveEstimate at = start(n_);
    double best = kInfinity, best_exponent = 1;
    for (double exponent = 1; exponent >= -12; exponent -= 1) {
      const double value = cross_validation(exponent, at);
      if (value < best) best = value, best_exponent = exponent;
      // A curve along which q is found may follow noise without an end; looser ones do, too.
      if (value == kInfinity && exponent <= -8) break;
    }
    // Golden section to a tenth of a decade: the criterion is flat around its least value.
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double a = best_exponent - 1, b = best_exponent + 1;
    at = start(n_);
    double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double f1 = cross_validation(x1, at), f2 = cross_validation(x2, at);
    while (b - a > 0.1) {
      if (f1 < f2) {
        b = x2, x2 = x1, f2 = f1;
        f1 = cross_validation(x1 = b - golden * (b - a), at);
      } else {
        a = x1, x1 = x2, f1 = f2;
        f2 = cross_validation(x2 = a + golden * (b - a), at);
      }
    }
    return std::pow(10, 0.5 * (a + b));
  }

  void choose_frames(double tolerance) {
    n_ = options_.frames > 0 ? options_.frames : chosen_frames(tolerance);
  }

  /// The fewest with which all poses that count are within the tolerance, or those of the least BIC
  /// (Schwarz 1978): 6N ln(Σwd²) + 6n ln(6N), a fit and its price, N = Σw.
  int chosen_frames(double tolerance) const {
    const int most = options_.ends == SplineEnds::open ? poses() : poses() - 1;
    const double numbers = 6 * weights_.sum();
    const double floor = numbers * std::pow(rounding(), 2);
    int best_n = 0;
    double best = kInfinity, nearest = kInfinity;
    for (int n = 4; n <= most; ++n) {
      const CurveSolution solution = solve(0, start(n));
      if (!solution.determined) break;
      const VecX& distances = solution.equations.distances;
      if (tolerance > 0) {
        const double farthest = (weights_.array() > 0).select(distances, 0).maxCoeff();
        if (farthest <= tolerance) return n;
        nearest = std::min(nearest, farthest);
        continue;
      }
      const double sum = weights_.dot(distances.cwiseAbs2()) + floor;
      const double bic = numbers * std::log(sum) + 6 * n * std::log(numbers);
      if (bic < best) best = bic, best_n = n;
      // Eight more frames in vain: the motion is described.
      if (n >= best_n + 8) break;
    }
    if (tolerance > 0)
      throw Error("fit", "no number of frames comes within the tolerance",
                  "give more poses, or a tolerance above " + std::to_string(nearest) + " m");
    if (best_n == 0) refuse(4);
    return best_n;
  }

  /// Throws an Error for a curve that smoothing has shrunk to half of the way that the poses go at
  /// least: to the farthest of those that count, and back in a loop.
  void check_length(const CurveEstimate& at) const {
    std::vector<Pose> counted;
    for (size_t k = 0; k < poses_.size(); ++k)
      if (weights_[static_cast<Eigen::Index>(k)] > 0) counted.push_back(poses_[k]);
    const double way =
        extent_of(counted, options_.metric) * (options_.ends == SplineEnds::open ? 1 : 2);
    const double length = curve_length(at, options_.metric);
    if (length >= 0.5 * way) return;
    throw Error("fit",
                "a curve of " + std::to_string(length) + " m is left of poses that go " +
                    std::to_string(way) + " m",
                "smooth less, or give the q at which each was measured");
  }

  [[noreturn]] void refuse(int n) const {
    const CubicBSpline spline = CubicBSpline::Even(begin_, end_, n, options_.ends);
    const int missing =
        options_.ends == SplineEnds::open ? undetermined_control_value(spline, q_) : -1;
    const std::string which =
        missing < 0 ? std::string("all ") + std::to_string(n) + " control frames"
                    : "control frame " + std::to_string(missing + 1) + " of " + std::to_string(n);
    throw Error("fit", std::to_string(poses()) + " poses do not determine " + which,
                "give more poses there, ask for fewer frames, or smooth");
  }

  CurveFit result(const CurveSolution& solution) const {
    const CurveEstimate at =
        find_q_ ? scaled_to_length(solution.estimate, options_.metric) : solution.estimate;
    const CurveNormalEquations& equations = solution.equations;
    const std::vector<double> knots = knots_with_breaks(at.spline.breaks(), options_.ends);
    CurveFit out{.curve = SplineCurve::WithKnots(at.frames, options_.ends, knots),
                 .metric = options_.metric,
                 .q = at.q,
                 .distances = equations.distances,
                 .weights = weights_,
                 .smoothing = smoothing_,
                 .iterations = solution.iterations,
                 .steps = solution.steps,
                 .converged = solution.converged};
    const double found = find_q_ ? weights_.sum() - (options_.ends == SplineEnds::open ? 2 : 1) : 0;
    const double freedom = 6 * weights_.sum() - equations.trace - found;
    const double sum = weights_.dot(equations.distances.cwiseAbs2());
    out.deviation = freedom > 0.5
                        ? std::sqrt(sum / freedom / (options_.robust ? kBiweightVariance : 1))
                        : std::numeric_limits<double>::quiet_NaN();
    out.parameters = equations.trace;
    out.covariance = out.deviation * out.deviation * solution.inverse;
    return out;
  }

  std::vector<Pose> poses_;
  CurveFitOptions options_;
  bool find_q_;
  VecX q_;  ///< given, or a first guess
  double begin_, end_;
  VecX weights_;
  int n_ = 0;
  double smoothing_ = 0;
};

void check_counts(const std::vector<Pose>& poses, const CurveFitOptions& options) {
  if (poses.size() < 4)
    throw Error("fit", "has " + std::to_string(poses.size()) + " poses",
                "a curve needs at least four");
  if (options.frames != 0 && options.frames < 4)
    throw Error("fit", "has " + std::to_string(options.frames) + " control frames",
                "a curve needs at least four");
  if (options.smoothing && !(*options.smoothing >= 0 && std::isfinite(*options.smoothing)))
    throw Error("fit", "the weight of the smoothing is negative", "give 0 or more");
}

}  // namespace

Mat6 CurveFit::covariance_at(double at) const {
  const CurvePoseSensitivity pose = CurveSensitivity(curve.frames(), curve.spline()).pose(at);
  Mat6 out = Mat6::Zero();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      out += pose.dQ[a] * covariance.block<6, 6>(6 * pose.frames[a], 6 * pose.frames[b]) *
             pose.dQ[b].transpose();
  return out;
}

CurveFit::Band CurveFit::band_at(double at) const {
  const Mat6 twist = covariance_at(at);
  const Eigen::Matrix<double, 3, 6> velocity = metric.twist_weight().bottomRows<3>();
  const auto widest = [](const Mat3& C) {
    const Vec3 variances =
        Eigen::SelfAdjointEigenSolver<Mat3>(C, Eigen::EigenvaluesOnly).eigenvalues();
    return 1.96 * std::sqrt(std::max(0.0, variances[2]));
  };
  return {widest(twist.topLeftCorner<3, 3>()), widest(velocity * twist * velocity.transpose())};
}

CurveFit fit_curve(const std::vector<Pose>& poses, const std::vector<double>& q,
                   const CurveFitOptions& options) {
  check_counts(poses, options);
  if (q.size() != poses.size())
    throw Error("fit",
                "has " + std::to_string(q.size()) + " values of q for " +
                    std::to_string(poses.size()) + " poses",
                "give one for each pose");
  for (size_t k = 0; k < q.size(); ++k)
    if (!std::isfinite(q[k]))
      throw Error("pose " + std::to_string(k + 1), "has a q that is not finite",
                  "leave it out, or fill the gap");
  const VecX given = Eigen::Map<const VecX>(q.data(), static_cast<Eigen::Index>(q.size()));
  const double begin = given.minCoeff();
  double end = given.maxCoeff();
  if (!(end > begin))
    throw Error("fit", "all poses have the same q", "give the q at which each was measured");
  if (options.ends == SplineEnds::cyclic) {
    if (!(options.period >= end - begin) || !std::isfinite(options.period))
      throw Error("fit", "the period of the loop is shorter than the range of q",
                  "give how much q grows in one turn");
    end = begin + options.period;
  }
  return CurveFitter(poses, given, false, begin, end, options).fit();
}

CurveFit fit_curve(const std::vector<Pose>& poses, const CurveFitOptions& options) {
  check_counts(poses, options);
  const std::vector<Pose> checked = checked_poses(poses);
  VecX q = VecX::Zero(static_cast<Eigen::Index>(poses.size()));
  for (size_t k = 1; k < checked.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    q[i] = q[i - 1] + options.metric.distance(checked[k - 1], checked[k]);
  }
  double end = q[q.size() - 1];
  if (options.ends == SplineEnds::cyclic)
    end += options.metric.distance(checked.back(), checked.front());
  if (!(end > 0)) throw Error("fit", "all poses are the same", "give poses of a joint that moves");
  return CurveFitter(poses, q, true, 0, end, options).fit();
}

}  // namespace sinew
