#include "sinew/analysis/fit/curve_sensitivity.hpp"

#include <gtest/gtest.h>

#include "analysis/fit/curve_examples.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace curve_sensitivity_test {

/// The curve with its frames moved by twists, six numbers for each.
std::vector<Pose> moved(const SplineCurve& curve, const VecX& u) {
  std::vector<Pose> frames = curve.frames();
  for (size_t j = 0; j < frames.size(); ++j)
    frames[j] = frames[j] * exp(Vec6(u.segment<6>(static_cast<Eigen::Index>(6 * j))));
  return frames;
}

MatX all_frames(const SplineCurve& curve, const std::array<int, 4>& frames,
                const std::array<Mat6, 4>& blocks) {
  MatX out = MatX::Zero(6, static_cast<Eigen::Index>(6 * curve.frames().size()));
  for (int a = 0; a < 4; ++a) out.middleCols<6>(6 * frames[a]) += blocks[a];
  return out;
}

TEST(CurveSensitivity, AgreesWithTheJoint) {
  const SplineCurve curve = test::winding_curve(7, 0.6, 1);
  const CurveSensitivity sensitivity(curve.frames(), curve.spline());
  for (const double q : {-0.1, 0.0, 0.3, 0.77, 1.0}) {
    const JointMotion motion = test::motion(curve, test::vec({q}), test::vec({1}));
    const CurvePoseSensitivity pose = sensitivity.pose(q);
    const CurveRateSensitivity rate = sensitivity.rates(q);
    // The same numbers in another order of operations: rounding of entries below 1e3.
    EXPECT_LE(test::distance(pose.Q, motion.Q), 1e-13);
    EXPECT_LE((pose.S - motion.S.col(0)).norm(), 1e-12);
    EXPECT_LE((rate.S - motion.S.col(0)).norm(), 1e-12);
    EXPECT_LE((rate.dSdq - motion.Sdot.col(0)).norm(), 1e-11);
  }
}

TEST(CurveSensitivity, DifferentiatesThePoseByTheFrames) {
  for (const SplineEnds ends : {SplineEnds::open, SplineEnds::cyclic})
    for (const double step : {0.05, 0.6, 1.2}) {
      const SplineCurve curve = test::winding_curve(6, step, 2, ends);
      for (const double q : {0.0, 0.41, 0.95}) {
        const CurvePoseSensitivity pose = CurveSensitivity(curve.frames(), curve.spline()).pose(q);
        const auto twist = [&](const VecX& u) -> VecX {
          const std::vector<Pose> frames = moved(curve, u);
          return log(pose.Q.inverse() * CurveSensitivity(frames, curve.spline()).pose(q).Q);
        };
        const VecX zero = VecX::Zero(static_cast<Eigen::Index>(6 * curve.frames().size()));
        const DifferenceSweep sweep =
            check_derivative(twist, zero, all_frames(curve, pose.frames, pose.dQ));
        EXPECT_TRUE(sweep.confirms()) << sweep.table();
      }
    }
}

TEST(CurveSensitivity, DifferentiatesTheRatesByTheFrames) {
  for (const SplineEnds ends : {SplineEnds::open, SplineEnds::cyclic}) {
    const SplineCurve curve = test::winding_curve(6, 0.6, 3, ends);
    for (const double q : {0.0, 0.41, 0.95}) {
      const CurveRateSensitivity rate = CurveSensitivity(curve.frames(), curve.spline()).rates(q);
      const VecX zero = VecX::Zero(static_cast<Eigen::Index>(6 * curve.frames().size()));
      const auto S = [&](const VecX& u) -> VecX {
        const std::vector<Pose> frames = moved(curve, u);
        return CurveSensitivity(frames, curve.spline()).rates(q).S;
      };
      const auto h = [&](const VecX& u) -> VecX {
        const std::vector<Pose> frames = moved(curve, u);
        return CurveSensitivity(frames, curve.spline()).rates(q).dSdq;
      };
      const DifferenceSweep first =
          check_derivative(S, zero, all_frames(curve, rate.frames, rate.dS));
      EXPECT_TRUE(first.confirms()) << first.table();
      const DifferenceSweep second =
          check_derivative(h, zero, all_frames(curve, rate.frames, rate.ddSdq));
      EXPECT_TRUE(second.confirms()) << second.table();
    }
  }
}

/// Lee and Terzopoulos 2008 Eq 34: twists of the frames weighted by the plain basis functions.
std::array<Mat6, 4> weighted_frames(const SplineCurve& curve, double q) {
  const CubicBasis plain = curve.spline().basis(q), cumulative = curve.spline().cumulative_basis(q);
  std::array<Mat6, 4> out;
  Pose behind;
  for (int i = 3; i >= 0; --i) {
    out[i] = plain.d[0][i] * Ad(behind.inverse());
    if (i == 0) break;
    const size_t j = static_cast<size_t>(plain.first + i);
    const Vec6 z = log(curve.frames()[j - 1].inverse() * curve.frames()[j]);
    behind = exp(z * cumulative.d[0][i]) * behind;
  }
  return out;
}

// Their Jacobian is right for frames close together, and off by a part of their distance.
TEST(CurveSensitivity, IsNearTheWeightedFramesOfThePaper) {
  std::vector<double> errors;
  for (const double step : {0.06, 0.6}) {
    const SplineCurve curve = test::winding_curve(6, step, 4);
    const CurveSensitivity sensitivity(curve.frames(), curve.spline());
    double largest = 0;
    for (const double q : test::evenly(0, 1, 20)) {
      const CurvePoseSensitivity pose = sensitivity.pose(q);
      const std::array<Mat6, 4> paper = weighted_frames(curve, q);
      for (int a = 0; a < 4; ++a)
        largest = std::max(largest, (pose.dQ[a] - paper[a]).cwiseAbs().maxCoeff());
    }
    errors.push_back(largest);
  }
  EXPECT_LT(errors[0], 0.01);
  EXPECT_GT(errors[1], 0.02);
  // First order in the distance.
  EXPECT_NEAR(errors[1] / errors[0], 10, 3);
}

}  // namespace curve_sensitivity_test
}  // namespace sinew
