#include "sinew/analysis/fit/span_length.hpp"

namespace sinew {
namespace {

/// Gauss's five points and weights on [−1, 1].
constexpr std::array<std::array<double, 2>, 5> kGaussOfFive = {
    {{0, 0.5688888888888889},
     {-0.5384693101056831, 0.4786286704993665},
     {0.5384693101056831, 0.4786286704993665},
     {-0.9061798459386640, 0.2369268850561891},
     {0.9061798459386640, 0.2369268850561891}}};

/// out += weight × speed at q.
void add_speed(const CurveSensitivity& sensitivity, double q, double weight,
               const PoseMetric& metric, CurveLength& out) {
  const CurveRateSensitivity rate = sensitivity.rates(q);
  const Vec6 velocity = metric.twist_weight() * rate.S;
  const double speed = velocity.norm();
  out.length += weight * speed;
  out.frames = rate.frames;
  for (int a = 0; a < 4; ++a)
    out.by_frames[a] +=
        weight / speed * (metric.twist_weight() * rate.dS[a]).transpose() * velocity;
}

CurveLength no_length() {
  CurveLength out;
  out.by_frames.fill(Vec6::Zero());
  return out;
}

}  // namespace

std::vector<CurveLength> span_lengths(const CurveSensitivity& sensitivity,
                                      const CubicBSpline& spline, const PoseMetric& metric) {
  const std::vector<double>& breaks = spline.breaks();
  std::vector<CurveLength> out(breaks.size() - 1, no_length());
  for (size_t k = 0; k < out.size(); ++k) {
    const double half = 0.5 * (breaks[k + 1] - breaks[k]);
    for (const auto& [x, w] : kGaussOfFive)
      add_speed(sensitivity, breaks[k] + half * (1 + x), half * w, metric, out[k]);
  }
  return out;
}

CurveLength length_at_speed(const CurveSensitivity& sensitivity, double q, double width,
                            const PoseMetric& metric) {
  CurveLength out = no_length();
  add_speed(sensitivity, q, width, metric, out);
  return out;
}

}  // namespace sinew
