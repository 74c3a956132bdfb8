#pragma once

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/analysis/fit/curve_fit.hpp"
#include "sinew/math/so3.hpp"

namespace sinew::test {

/// A knee that bends by 2.6 rad, turns about its length and rolls, in 60 poses without q.
struct NoisyKnee {
  std::vector<Pose> truth = poses_over(60), poses;
  CurveFitOptions options;

  explicit NoisyKnee(std::uint64_t seed) : poses(noisy(truth, kRotation, kPosition, seed)) {
    options.metric = PoseMetric::AtPoint(Vec3::Zero(), kPosition / kRotation);
  }
  static constexpr double kRotation = 0.0087, kPosition = 0.0005;

  static std::vector<Pose> poses_over(int n) {
    std::vector<Pose> out;
    for (const double bend : evenly(0, 2.6, n))
      out.push_back({rotation_about(Vec3::UnitZ(), -bend) *
                         rotation_about(Vec3::UnitY(), 0.15 * std::sin(bend)),
                     Vec3(0.02 * std::sin(bend), 0.02 * std::cos(bend), 0.002 * bend)});
    return out;
  }
  /// Puts poses twenty times as far off, the first or the last among them.
  std::vector<size_t> spoil(std::uint64_t seed) {
    std::vector<size_t> rows{7 + seed, 27 + seed, 47 + seed};
    rows.push_back(seed % 2 == 0 ? 0 : poses.size() - 1);
    NormalNumbers normal(100 + seed);
    for (const size_t k : rows) {
      Vec6 phi;
      for (int i = 0; i < 6; ++i) phi[i] = 20 * normal() * (i < 3 ? kRotation : kPosition);
      poses[k] = poses[k] * exp(phi);
    }
    return rows;
  }
};

/// The fitted pose that is nearest to a pose, by its q.
inline double nearest_q(const CurveFit& fit, const Pose& pose) {
  const CubicBSpline& spline = fit.curve.spline();
  double best = spline.begin(), least = INFINITY;
  const auto look = [&](double begin, double end) {
    for (const double q : evenly(begin, end, 101))
      if (const double d = fit.metric.distance(pose_at(fit.curve, q), pose); d < least)
        least = d, best = q;
  };
  look(spline.begin(), spline.end());
  const double step = (spline.end() - spline.begin()) / 100;
  look(std::max(spline.begin(), best - step), std::min(spline.end(), best + step));
  return best;
}

/// Where the true poses lie across a curve whose q is found: what part of five components is in
/// the 95 % band, and the root mean square of their distances [m].
struct Across {
  int inside = 0, all = 0;
  double error = 0;
};
inline Across across(const CurveFit& fit) {
  Across out;
  const Mat6& W = fit.metric.twist_weight();
  const std::vector<Pose> truth = NoisyKnee::poses_over(41);
  for (size_t k = 2; k + 2 < truth.size(); ++k) {  // the curve may end before the truth does
    const double q = nearest_q(fit, truth[k]);
    const Vec6 error = W * log(pose_at(fit.curve, q).inverse() * truth[k]);
    const Mat6 covariance = W * fit.covariance_at(q) * W.transpose();
    const Vec6 along = W * motion(fit.curve, vec({q}), vec({1})).S.col(0);
    const Mat6 basis = Eigen::HouseholderQR<Mat6>(along * Vec6::Unit(0).transpose())
                           .householderQ();  // its first column is along the curve
    for (int i = 1; i < 6; ++i, ++out.all)
      out.inside += std::abs(basis.col(i).dot(error)) <=
                    1.96 * std::sqrt(basis.col(i).dot(covariance * basis.col(i)));
    out.error += error.squaredNorm() / 37;
  }
  out.error = std::sqrt(out.error);
  return out;
}

/// What a robust fit makes of them, without outliers and with some.
inline void expect_robust(NoisyKnee m, std::uint64_t seed, bool smooth) {
  if (smooth) {
    m.options.frames = 16;
    m.options.smoothing = std::nullopt;
  }
  const double clean = across(fit_curve(m.poses, m.options)).error;
  m.options.robust = true;
  EXPECT_LE(across(fit_curve(m.poses, m.options)).error, 1.2 * clean) << seed;
  const std::vector<size_t> rows = m.spoil(seed);
  const CurveFit fit = fit_curve(m.poses, m.options);
  EXPECT_TRUE(fit.converged) << seed;
  EXPECT_LE(across(fit).error, 1.5 * clean) << seed;
  for (const size_t k : rows) EXPECT_EQ(fit.weights[static_cast<Eigen::Index>(k)], 0) << seed;
  EXPECT_EQ((fit.weights.array() > 0).count(), 56) << seed;
}

}  // namespace sinew::test
