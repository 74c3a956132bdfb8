#include "sinew/analysis/fit/curve_start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/analysis/fit/span_length.hpp"

namespace sinew {
namespace {

/// The measured motion between its poses: from each to the next by one twist.
class PosePath {
 public:
  /// Of poses that count; `period` 0: open.
  PosePath(const std::vector<Pose>& poses, const VecX& q, const VecX& weights, double period) {
    std::vector<size_t> order(poses.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::erase_if(order, [&](size_t k) { return weights[static_cast<Eigen::Index>(k)] <= 0; });
    const auto at = [&](size_t k) { return q[static_cast<Eigen::Index>(k)]; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return at(a) < at(b); });
    for (const size_t k : order) {
      // Of several poses at the same q the first stands for all.
      if (!q_.empty() && at(k) <= q_.back()) continue;
      q_.push_back(at(k));
      poses_.push_back(poses[k]);
    }
    if (period > 0 && q_.back() < q_.front() + period) {
      q_.push_back(q_.front() + period);
      poses_.push_back(poses_.front());
      period_ = period;
    }
  }

  Pose at(double q) const {
    if (period_ > 0) q -= period_ * std::floor((q - q_.front()) / period_);
    if (q_.size() < 2) return poses_.front();
    // Beyond its ends an open motion goes on as it came, by the twist over the same distance.
    if (q < q_.front()) return mirrored(q_.front(), q);
    if (q > q_.back()) return mirrored(q_.back(), q);
    const auto above = std::upper_bound(q_.begin() + 1, q_.end() - 1, q);
    const auto k = static_cast<size_t>(above - q_.begin());
    const double part = (q - q_[k - 1]) / (q_[k] - q_[k - 1]);
    return poses_[k - 1] * exp(log(poses_[k - 1].inverse() * poses_[k]) * part);
  }

 private:
  Pose mirrored(double end, double q) const {
    const double inside = std::clamp(2 * end - q, q_.front(), q_.back());
    const Pose at_end = at(end);
    return at_end * (at(inside).inverse() * at_end);
  }

  std::vector<double> q_;
  std::vector<Pose> poses_;
  double period_ = 0;
};

}  // namespace

std::vector<double> knots_with_breaks(const std::vector<double>& breaks, SplineEnds ends) {
  std::vector<double> knots = breaks;
  if (ends == SplineEnds::cyclic) return knots;
  const double first = breaks[1] - breaks[0], last = breaks.back() - breaks[breaks.size() - 2];
  for (int i = 0; i < 3; ++i) {
    knots.insert(knots.begin(), knots.front() - first);
    knots.push_back(knots.back() + last);
  }
  return knots;
}

CubicBSpline spline_with_breaks(const std::vector<double>& breaks, SplineEnds ends) {
  const int spans = static_cast<int>(breaks.size()) - 1;
  return {ends == SplineEnds::open ? spans + 3 : spans, ends, knots_with_breaks(breaks, ends)};
}

CurveEstimate start_on_poses(const std::vector<Pose>& poses, const VecX& q, const VecX& weights,
                             const CubicBSpline& spline) {
  const bool open = spline.ends() == SplineEnds::open;
  const PosePath path(poses, q, weights, open ? 0 : spline.end() - spline.begin());
  const std::vector<double>& breaks = spline.breaks();
  const int spans = spline.spans();
  // Knot i of the spline, i = 0 at the first break; outside, as spline_with_breaks has them.
  const auto knot = [&](int i) {
    const auto at = [&](int k) { return breaks[static_cast<size_t>(k)]; };
    if (i >= 0 && i <= spans) return at(i);
    if (!open) {
      const int turns = i < 0 ? -1 : 1;
      return at(i - turns * spans) + turns * (spline.end() - spline.begin());
    }
    return i < 0 ? at(0) + i * (at(1) - at(0))
                 : at(spans) + (i - spans) * (at(spans) - at(spans - 1));
  };
  CurveEstimate out{.frames = {}, .spline = spline, .q = q};
  // Frame j is among those of spans j − 3 … j, between knots j − 3 and j + 1.
  for (int j = 0; j < spline.control_values(); ++j)
    out.frames.push_back(path.at((knot(j - 2) + knot(j - 1) + knot(j)) / 3));
  return out;
}

double curve_length(const CurveEstimate& curve, const PoseMetric& metric) {
  const CurveSensitivity sensitivity(curve.frames, curve.spline);
  double sum = 0;
  for (const CurveLength& span : span_lengths(sensitivity, curve.spline, metric))
    sum += span.length;
  return sum;
}

CurveEstimate scaled_to_length(const CurveEstimate& curve, const PoseMetric& metric) {
  const std::vector<double>& old = curve.spline.breaks();
  const double factor = curve_length(curve, metric) / (old.back() - old.front());
  CurveEstimate out = curve;
  std::vector<double> breaks;
  for (const double at : old) breaks.push_back(factor * (at - old.front()));
  out.spline = spline_with_breaks(breaks, curve.spline.ends());
  out.q = factor * (curve.q.array() - old.front());
  return out;
}

}  // namespace sinew
