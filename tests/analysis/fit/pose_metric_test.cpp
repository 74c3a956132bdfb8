#include "sinew/analysis/fit/pose_metric.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace sinew {
namespace pose_metric_test {

std::vector<Vec3> cloud(test::Random& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < 20; ++i) points.push_back(random.vec3(0.2) + Vec3(0, -0.3, 0));
  return points;
}

TEST(PoseMetric, AtAPointCountsARadianAsItsLength) {
  const PoseMetric metric = PoseMetric::AtPoint(Vec3(0, 0.2, 0), 0.05);
  const Pose turned{exp((Vec6() << 0.3, 0, 0, 0, 0, 0).finished()).R, Vec3::Zero()};
  const double moved = (turned * Vec3(0, 0.2, 0) - Vec3(0, 0.2, 0)).norm();
  EXPECT_NEAR(metric.distance(Pose(), turned), std::hypot(0.05 * 0.3, moved), 1e-16);
  EXPECT_NEAR(metric.distance(Pose(), Pose::Translation(Vec3(1, 2, 2))), 3, 1e-15);
}

TEST(PoseMetric, OfPointsIsTheirMeanDisplacement) {
  test::Random random(1);
  const std::vector<Vec3> points = cloud(random);
  const PoseMetric metric = PoseMetric::OfPoints(points);
  const Pose A = random.pose(), B = A * exp(random.vec6(0.05));
  double sum = 0;
  for (const Vec3& x : points) sum += (A * x - B * x).squaredNorm() / 20;
  // The chord of a rotation of 0.05 rad is shorter than the arc by 0.05²/24.
  EXPECT_NEAR(metric.distance(A, B), std::sqrt(sum), 2e-4 * std::sqrt(sum));
}

TEST(PoseMetric, DoesNotDependOnTheFixedFrame) {
  test::Random random(2);
  const Pose A = random.pose(), B = A * exp(random.vec6(0.5)), C = random.pose();
  for (const PoseMetric& metric :
       {PoseMetric::AtPoint(random.vec3(), 0.1), PoseMetric::OfPoints(cloud(random))})
    EXPECT_NEAR(metric.distance(C * A, C * B), metric.distance(A, B), 1e-14);
}

TEST(PoseMetric, OfPointsDoesNotDependOnTheMovingFrameEither) {
  test::Random random(3);
  const Pose A = random.pose(), B = A * exp(random.vec6(0.5)), C = random.pose();
  const std::vector<Vec3> points = cloud(random);
  std::vector<Vec3> moved;  // the same points seen from the other frame
  for (const Vec3& x : points) moved.push_back(C.inverse() * x);
  EXPECT_NEAR(PoseMetric::OfPoints(moved).distance(A * C, B * C),
              PoseMetric::OfPoints(points).distance(A, B), 1e-14);
  // A length at the origin is about another point of the body when the origin is elsewhere.
  const PoseMetric at_origin = PoseMetric::AtPoint(Vec3::Zero(), 0.1);
  EXPECT_GT(std::abs(at_origin.distance(A * C, B * C) - at_origin.distance(A, B)), 0.01);
}

TEST(PoseMetric, DifferentiatesByTheTwist) {
  test::Random random(4);
  const Pose A = random.pose(), B = A * exp(random.vec6(0.7));
  for (const PoseMetric& metric :
       {PoseMetric::AtPoint(random.vec3(), 0.1), PoseMetric::OfPoints(cloud(random))}) {
    const auto r = [&](const VecX& u) -> VecX { return metric.difference(A * exp(Vec6(u)), B); };
    const DifferenceSweep sweep = check_derivative(
        r, VecX::Zero(6), metric.difference_by_twist(A, B, metric.difference(A, B)));
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
    const auto own = [&](const VecX& u) -> VecX { return metric.difference(A, A * exp(Vec6(u))); };
    const DifferenceSweep small = check_derivative(own, VecX::Zero(6), metric.twist_weight());
    EXPECT_TRUE(small.confirms()) << small.table();
  }
}

TEST(PoseMetric, RefusesPointsOnALine) {
  const std::vector<Vec3> line{Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(2, 2, 0)};
  EXPECT_EQ(test::message_of([&] { PoseMetric::OfPoints(line); }),
            "metric: the points of the body lie on a line; give at least three that do not, such "
            "as the corners of its mesh");
  EXPECT_NE(test::message_of([] { PoseMetric::OfPoints({}); }), "");
  EXPECT_NE(test::message_of([] { PoseMetric::AtPoint(Vec3::Zero(), 0); }), "");
  EXPECT_NE(test::message_of([] { PoseMetric::AtPoint(Vec3(NAN, 0, 0), 1); }), "");
}

}  // namespace pose_metric_test
}  // namespace sinew
