#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/math/so3.hpp"
#include "support/joint_evaluation.hpp"
#include "support/joint_examples.hpp"
#include "support/random.hpp"

namespace sinew {
namespace spline_joints_test {

using test::distance;
using test::motion;
using test::vec;

constexpr double kPi = std::numbers::pi;

/// Frames round a circle of the x-z plane, unevenly spaced by `unevenness`.
std::vector<Pose> ring(int n, double unevenness) {
  std::vector<Pose> frames;
  for (int i = 0; i < n; ++i) {
    const double t = 2 * kPi * i / n;
    const double angle = t + unevenness * std::sin(t);
    const Mat3 R = rotation_about(Vec3::UnitY(), angle);
    frames.push_back({R, R * Vec3(0, 0, 1)});
  }
  return frames;
}

/// All spline curves of the law suite.
std::vector<std::pair<std::string, SplineCurve>> curves() {
  std::vector<std::pair<std::string, SplineCurve>> list;
  for (const test::JointExample& example : test::joint_examples())
    if (const auto* curve = std::get_if<SplineCurve>(&example.joint.variant()))
      list.emplace_back(example.name, *curve);
  return list;
}

// The reference's scene with a cyclic spline of four frames a quarter turn apart, at q = 0 [cm].
TEST(SplineCurve, AgreesWithTheReferenceScene) {
  std::vector<Pose> frames;
  const std::vector<std::pair<double, Vec3>> turns{
      {kPi, {-10, 0, 0}}, {kPi / 2, {0, 0, -2}}, {0, {10, 0, 0}}, {-kPi / 2, {0, 0, 2}}};
  for (const auto& [angle, p] : turns) frames.push_back({rotation_about(Vec3::UnitY(), angle), p});
  const SplineCurve curve = SplineCurve::Uniform(frames, SplineEnds::cyclic);
  const Pose expected{rotation_about(Vec3::UnitY(), kPi / 2),
                      Vec3(-0.2725933896874564, 0, -4.07055236082017)};
  // The reference prints world positions 10 further down: 1e-14 is their last digit.
  EXPECT_LE(distance(motion(curve, vec({0}), vec({1})).Q, expected), 2e-14);
}

TEST(SplineCurve, OfPureTranslationsIsAnOrdinarySpline) {
  test::Random random(1);
  std::vector<Pose> frames;
  for (int i = 0; i < 6; ++i) frames.push_back(Pose::Translation(random.vec3()));
  const SplineCurve curve =
      SplineCurve::WithKnots(frames, SplineEnds::open, {-2, -1, -0.5, 0, 0.4, 1.5, 2, 3, 4, 5});
  for (double q = -0.3; q < 2.4; q += 0.1) {
    const CubicBasis basis = curve.spline().basis(q);
    Vec3 p = Vec3::Zero();
    for (int i = 0; i < 4; ++i) p += basis.d[0][i] * frames[static_cast<size_t>(basis.first + i)].p;
    EXPECT_LE((motion(curve, vec({q}), vec({1})).Q.p - p).norm(), 1e-14);
  }
}

TEST(SplineCurve, LoopEqualsTheOpenCurveThatRepeatsThreeFrames) {
  const std::vector<Pose> frames = ring(6, 0.4);
  std::vector<Pose> unrolled = frames;
  unrolled.insert(unrolled.end(), frames.begin(), frames.begin() + 3);
  const SplineCurve loop = SplineCurve::Uniform(frames, SplineEnds::cyclic);
  const SplineCurve open = SplineCurve::Uniform(unrolled, SplineEnds::open);
  for (double q = 0.05; q < 6; q += 0.3)
    EXPECT_LE(test::largest_difference(loop, open, vec({q}), vec({0.8})), 1e-13);
  for (const double q : {0.2, 3.9})
    for (const double turns : {-6.0, 6.0, 600.0})
      // q + 600 itself is rounded by 1e-13.
      EXPECT_LE(
          distance(motion(loop, vec({q}), vec({1})).Q, motion(loop, vec({q + turns}), vec({1})).Q),
          1e-12);
}

TEST(SplineCurve, IsTwiceContinuouslyDifferentiableAtItsKnots) {
  for (const auto& [name, curve] : curves())
    for (const double knot : curve.spline().breaks()) {
      const JointMotion before = motion(curve, vec({knot - 1e-11}), vec({1}));
      const JointMotion after = motion(curve, vec({knot + 1e-11}), vec({1}));
      // Third derivatives reach 1e3 on the narrowest span; times the step they are 1e-8.
      EXPECT_LE(distance(before.Q, after.Q), 1e-8) << name << " at " << knot;
      EXPECT_LE((before.S - after.S).norm(), 1e-8) << name << " at " << knot;
      EXPECT_LE((before.Sdot - after.Sdot).norm(), 1e-7) << name << " at " << knot;
    }
}

// Lee and Terzopoulos 2008 section 5: a joint whose S vanishes somewhere would stop there whatever
// pushes it.
TEST(SplineCurve, NeverStandsStillWithinItsRange) {
  for (const auto& [name, curve] : curves()) {
    const double begin = curve.spline().begin(), end = curve.spline().end();
    double smallest = INFINITY;
    for (int i = 0; i <= 400; ++i)
      smallest = std::min(smallest,
                          motion(curve, vec({begin + (end - begin) * i / 400}), vec({1})).S.norm());
    EXPECT_GT(smallest, 0.1) << name;
  }
}

// Lee and Terzopoulos 2008 section 6.1: |s(q)| ≈ 1 in the metric that made the knots, however
// unevenly the frames lie.
TEST(SplineCurve, NaturalParameterMeasuresDistance) {
  const double length = 0.5;
  for (const SplineEnds ends : {SplineEnds::open, SplineEnds::cyclic}) {
    const std::vector<Pose> frames = ring(16, 0.7);
    const auto speeds = [&](const SplineCurve& curve) {
      double smallest = INFINITY, largest = 0;
      for (int i = 0; i <= 300; ++i) {
        const double q =
            curve.spline().begin() + (curve.spline().end() - curve.spline().begin()) * i / 300;
        const Vec6 s = motion(curve, vec({q}), vec({1})).S.col(0);
        const double speed = std::hypot(length * s.head<3>().norm(), s.tail<3>().norm());
        smallest = std::min(smallest, speed);
        largest = std::max(largest, speed);
      }
      return std::pair(smallest, largest);
    };
    const auto [low, high] = speeds(SplineCurve::Natural(frames, ends, length));
    const auto [uniform_low, uniform_high] = speeds(SplineCurve::Uniform(frames, ends));
    // Frames are up to 1.3 times as far apart as their neighbours; a tenth of unevenness remains.
    EXPECT_GT(low, 0.9);
    EXPECT_LT(high, 1.1);
    EXPECT_GT(uniform_high / uniform_low, 3);
  }
  const Joint natural = SplineCurve::Natural(ring(8, 0), SplineEnds::cyclic, length);
  EXPECT_EQ(natural.kind(0), CoordinateKind::length);
  EXPECT_EQ(Joint(SplineCurve::Uniform(ring(8, 0), SplineEnds::cyclic)).kind(0),
            CoordinateKind::parameter);
}

TEST(SplineSurface, RunsQ1AlongColumnsAndQ2AlongRows) {
  std::array<MatX, 6> grids;
  grids.fill(MatX::Zero(5, 6));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j) {
      // Control values j − 1 make q₁ itself, i − 1 make q₂.
      grids[0](i, j) = 2.0 * (j - 1);
      grids[1](i, j) = 3.0 * (i - 1);
      grids[3](i, j) = 0.1 * (j - 1);
      grids[5](i, j) = 0.2 * (i - 1);
    }
  const SplineSurface surface(grids);
  const double q1 = 2.3, q2 = 0.9;
  const Mat3 R = rotation_about(Vec3::UnitX(), 0.1 * q1) * rotation_about(Vec3::UnitZ(), 0.2 * q2);
  const JointMotion m = motion(surface, vec({q1, q2}), vec({1, 1}));
  EXPECT_LE(distance(m.Q, {R, Vec3(2 * q1, 3 * q2, 0)}), 1e-14);
  EXPECT_EQ(surface.splines()[0].end(), 3);
  EXPECT_EQ(surface.splines()[1].end(), 2);
}

TEST(SplineJoints, ReversedOnesAreInverses) {
  double largest = 0, by_frames = 0;
  for (const auto& [name, curve] : curves()) {
    const double begin = curve.spline().begin(), end = curve.spline().end();
    for (int i = 0; i <= 20; ++i) {
      const VecX q = vec({begin + (end - begin) * i / 20});
      const Pose Q = motion(curve, q, vec({1})).Q;
      largest = std::max(largest, distance(motion(curve.reversed(), q, vec({1})).Q * Q, Pose()));
    }
  }
  for (const test::JointExample& example : test::joint_examples())
    if (const auto* surface = std::get_if<SplineSurface>(&example.joint.variant()))
      for (const VecX& q : example.regular) {
        const Pose Q = motion(*surface, q, vec({1, 1})).Q;
        largest =
            std::max(largest, distance(motion(surface->reversed(), q, vec({1, 1})).Q * Q, Pose()));
      }
  EXPECT_LT(largest, 1e-12);
  // A curve of the inverted frames, which is what one would do without: near, not the same.
  std::vector<Pose> frames, inverted;
  Vec3 axis(1, 0, 0);
  for (int j = 0; j < 8; ++j) {
    axis = (axis + Vec3(0.1, 0.3, 0.2)).normalized();
    const Vec6 z = (Vec6() << 0.3 * axis, 0.05, 0, 0.02).finished();
    frames.push_back(j == 0 ? Pose() : frames.back() * exp(z));
    inverted.push_back(frames.back().inverse());
  }
  const SplineCurve there = SplineCurve::Uniform(frames, SplineEnds::open);
  const SplineCurve back = SplineCurve::Uniform(inverted, SplineEnds::open);
  for (int i = 0; i <= 50; ++i) {
    const VecX q = vec({5.0 * i / 50});
    const Pose E = motion(back, q, vec({1})).Q * motion(there, q, vec({1})).Q;
    by_frames = std::max(by_frames, log(E).head<3>().norm());
  }
  // Nearly a 36th of the bracket of two neighbouring steps: of 0.3² times the sine of the angle
  // between their axes, 0.24 here.
  EXPECT_GT(by_frames, 3e-4);
  EXPECT_LT(by_frames, 1e-3);
  RecordProperty("by_inverted_frames", std::to_string(by_frames));
}

}  // namespace spline_joints_test
}  // namespace sinew
