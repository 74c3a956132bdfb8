#include "sinew/analysis/muscle_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/kinematics.hpp"

namespace sinew {
namespace muscle_points_test {

/// Two bones about skew hinges.
Skeleton arm() {
  SkeletonBuilder builder;
  BodySpec bone;
  bone.name = "upper";
  bone.joint = Revolute{Vec3::UnitZ()};
  bone.M_B = SpatialInertia::FromCentral(2, Vec3(0, -0.15, 0), 0.02 * Mat3::Identity());
  builder.add_body(bone);
  bone.name = "lower";
  bone.parent = "upper";
  bone.joint = Revolute{Vec3(0.3, 0, 1).normalized()};
  bone.E_PJ.p = Vec3(0, -0.3, 0);
  builder.add_body(bone);
  return builder.build();
}

/// From the ground through a point to the lower bone, around a cylinder at the elbow; tendons that
/// do not stretch.
Muscle around_the_elbow() {
  Muscle out;
  out.name = "m";
  out.mass = 0.4;
  out.points = {PathPoint::Fixed(kWorld, {0.1, 0.1, 0.02}),
                PathPoint::Fixed(BodyIndex(0), {0.06, -0.1, 0.01}),
                PathPoint::Fixed(BodyIndex(1), {0.03, -0.2, 0.02})};
  out.spans.resize(2);
  out.spans[1].body = BodyIndex(0);
  out.spans[1].E_BS.p = Vec3(0, -0.3, 0);
  out.spans[1].wrap = CylinderWrap{.radius = 0.05, .side = WrapSide::clockwise};
  out.material = MaterialMap::Tendons(0.02, 0.12);
  return out;
}

std::vector<MaterialPoint> points_at(const Skeleton& skeleton, const MusclePoints& points,
                                     const VecX& q, const VecX& qdot) {
  SkeletonWorkspace ws(skeleton);
  SpanPathWorkspace path;
  const ConstVecRef q_ref = q, qdot_ref = qdot;
  update_kinematics(skeleton, q_ref, qdot_ref, ws);
  return points.at({skeleton, 0, q_ref, qdot_ref, ws}, path);
}

TEST(MusclePoints, JacobiansAndVelocitiesAreDifferencesOfPositions) {
  const Skeleton skeleton = arm();
  const MusclePoints points(skeleton, around_the_elbow(), 7);
  ASSERT_EQ(points.dofs(), (std::vector<int>{0, 1}));
  const VecX q = Eigen::Vector2d(0.3, -0.8), qdot = Eigen::Vector2d(2, -3);
  const auto at = [&](const VecX& pose) { return points_at(skeleton, points, pose, qdot); };
  const std::vector<MaterialPoint> here = at(q);
  const Vec3 elbow = Eigen::AngleAxisd(q[0], Vec3::UnitZ()) * Vec3(0, -0.3, 0);
  constexpr double h = 1e-5;
  double largest = 0, nearest = 1;
  for (size_t p = 0; p < 7; ++p) {
    for (Eigen::Index k = 0; k < 2; ++k) {
      const VecX step = h * VecX::Unit(2, k);
      const Vec3 difference = (at(q + step)[p].x - at(q - step)[p].x) / (2 * h);
      largest = std::max(largest, (here[p].J.col(k) - difference).norm());
    }
    const Vec3 rate = (at(q + h * qdot)[p].x - at(q - h * qdot)[p].x) / (2 * h);
    EXPECT_LT((here[p].v - rate).norm(), 1e-7) << p;
    nearest = std::min(nearest, (here[p].x - elbow).head<2>().norm());
  }
  EXPECT_NEAR(nearest, 0.05, 1e-9);  // on the cylinder
  EXPECT_LT(largest, 1e-8);          // O(h²), and rounding 1e-16/h
}

TEST(MusclePoints, AreEquallyHeavyParts) {
  // Many of them have the inertia of the muscle.
  const Skeleton skeleton = arm();
  const Muscle muscle = around_the_elbow();
  const MusclePoints points(skeleton, muscle, 2000);
  const VecX q = Eigen::Vector2d(0.3, -0.8), qdot = Eigen::Vector2d(2, -3);
  Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
  for (const MaterialPoint& point : points_at(skeleton, points, q, qdot))
    sum += muscle.mass / 2000 * point.J.transpose() * point.J;
  SkeletonWorkspace ws(skeleton);
  SpanPathWorkspace path;
  const ConstVecRef q_ref = q, qdot_ref = qdot;
  update_kinematics(skeleton, q_ref, qdot_ref, ws);
  const SpanPath whole(skeleton, muscle);
  whole.update({skeleton, 0, q_ref, qdot_ref, ws}, nullptr, MuscleView::inertia, path);
  MatX M = MatX::Zero(2, 2);
  whole.add_mass_matrix(path, M);
  EXPECT_LT((M - sum).norm(), 1e-3 * M.norm());  // 1/n where the velocity jumps at the point
}

TEST(MusclePoints, AMuscleWithoutMassHasNone) {
  Muscle muscle = around_the_elbow();
  muscle.mass = 0;
  try {
    const MusclePoints points(arm(), muscle, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("muscle 'm': has no mass"));
  }
}

}  // namespace muscle_points_test
}  // namespace sinew
