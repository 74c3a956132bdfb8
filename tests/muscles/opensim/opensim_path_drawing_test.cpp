#include "sinew/muscles/opensim/opensim_path_drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {
namespace opensim_path_drawing_test {

/// One body in space that a route runs around.
Skeleton one_body() {
  SkeletonBuilder builder;
  BodySpec spec;
  spec.name = "body";
  spec.joint = Revolute(Vec3(0.2, 0.1, 1));
  spec.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.1, 0), 0.01 * Mat3::Identity());
  builder.add_body(spec);
  return builder.build();
}

double length(const std::vector<Vec3>& points) {
  double out = 0;
  for (size_t k = 1; k < points.size(); ++k) out += (points[k] - points[k - 1]).norm();
  return out;
}

struct Drawn {
  Drawn(const Wrap& wrap, const Vec3& from, const Vec3& to, int sign = 0, int axis = 1) {
    auto surface = std::make_shared<PathSurface>();
    surface->body = BodyIndex(0);
    surface->wrap = wrap;
    surface->E_BS = {Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
                     Vec3(0.02, -0.05, 0.01)};
    surface->sign = sign;
    surface->axis = axis;
    OpenSimPath path{"m", {}, {{surface, 0, 1}}};
    for (const Vec3& x_S : {from, to}) {
      OpenSimPathPoint point;
      point.body = BodyIndex(0);
      point.x_B = surface->E_BS * x_S;
      path.points.push_back(point);
    }
    const Skeleton skeleton = one_body();
    SkeletonWorkspace ws(skeleton);
    const VecX q = VecX::Constant(1, 0.7), qdot = VecX::Zero(1);
    update_kinematics(skeleton, q, qdot, ws);
    const ConstVecRef pose(q), rest(qdot);
    const OpenSimPathOnSkeleton route(skeleton, path);
    route.update({skeleton, 0, pose, rest, ws}, course);
    draw_opensim_path(route, course, points);
    count = static_cast<size_t>(drawing_points(path));
  }
  OpenSimPathWorkspace course;
  std::vector<Vec3> points;
  size_t count;
  /// In the frame of the surface.
  Vec3 on_surface(size_t k) const { return course.E_WS[0].inverse() * points[k]; }
};

// Ten chords of an arc φ are shorter by φ³/2400 of its radius; φ < 3 here, and no arc is longer
// than its path.
constexpr double kSagitta = 27.0 / 2400;

void expect_as_long(const Drawn& drawn) {
  ASSERT_EQ(drawn.course.nodes.size(), 4u) << "it wraps";
  EXPECT_EQ(drawn.points.size(), drawn.count);
  EXPECT_LE(length(drawn.points), drawn.course.length * (1 + 1e-9));
  EXPECT_GE(length(drawn.points), drawn.course.length * (1 - kSagitta));
}

TEST(RouteDrawing, AHelixStaysOnItsCylinder) {
  for (const double x : {-0.02, 0.02}) {  // on either side of it
    const Drawn drawn(CylinderWrap{.radius = 0.04, .half_length = 0.25}, Vec3(x, 0.1, 0.05),
                      Vec3(x, -0.12, -0.08));
    expect_as_long(drawn);
    int on = 0;
    for (size_t k = 0; k < drawn.count; ++k) {
      const double rho = drawn.on_surface(k).head<2>().norm();
      EXPECT_GT(rho, 0.04 - 1e-12);
      if (rho < 0.04 + 1e-12) ++on;  // rounding of lengths of order 0.1
    }
    EXPECT_EQ(on, 11);
  }
}

TEST(RouteDrawing, AGreatCircleStaysOnItsSphere) {
  const Drawn drawn(SphereWrap{.radius = 0.05}, Vec3(0.01, 0.12, 0.02), Vec3(0.02, -0.1, 0.01));
  expect_as_long(drawn);
  int on = 0;
  for (size_t k = 0; k < drawn.count; ++k)
    if (std::abs(drawn.on_surface(k).norm() - 0.05) < 1e-12) ++on;
  EXPECT_EQ(on, 11);
}

TEST(RouteDrawing, AGeodesicStaysOnItsEllipsoid) {
  const Vec3 radii(0.03, 0.05, 0.07);
  for (const int sign : {0, 1, -1}) {
    const Drawn drawn(EllipsoidWrap{.semi_axes = radii}, Vec3(0.01, 0.12, 0.03),
                      Vec3(0.012, -0.1, -0.02), sign, 0);
    expect_as_long(drawn);
    int on = 0;
    for (size_t k = 0; k < drawn.count; ++k)
      // Integrated by ten steps of order 6.
      if (std::abs(drawn.on_surface(k).cwiseQuotient(radii).norm() - 1) < 1e-5) ++on;
    EXPECT_EQ(on, 11) << sign;
  }
}

TEST(RouteDrawing, AGeodesicStaysOnItsTorus) {
  const Drawn drawn(TorusWrap{.radius = 0.05, .tube = 0.01}, Vec3(0.08, 0, -0.06),
                    Vec3(0.07, 0.01, 0.08));
  expect_as_long(drawn);
  for (size_t k = 0; k < drawn.count; ++k) {
    const Vec3 x = drawn.on_surface(k);
    EXPECT_GT(std::hypot(x.head<2>().norm() - 0.05, x.z()), 0.01 - 1e-6);  // ten steps of order 6
  }
}

TEST(SpreadPoints, KeepsEveryPointAndTheLength) {
  const std::vector<Vec3> line = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0.1, 0), Vec3(1, 0.2, 0),
                                  Vec3(1, 0.2, 5)};
  for (const size_t count : {5u, 6u, 9u, 40u}) {
    const std::vector<Vec3> out = spread_points(line, count);
    ASSERT_EQ(out.size(), count);
    EXPECT_NEAR(length(out), length(line), 1e-12);  // rounding
    size_t next = 0;
    for (const Vec3& x : out)
      if (next < line.size() && x == line[next]) ++next;
    EXPECT_EQ(next, line.size()) << "all of them, in order";
  }
}

TEST(SpreadPoints, PutsPointsWhereTheirShareOfTheLengthIs) {
  // A corner that comes and goes near a quarter of a line moves no point far.
  const std::vector<Vec3> straight = {Vec3(0, 0, 0), Vec3(4, 0, 0)};
  const std::vector<Vec3> bent = {Vec3(0, 0, 0), Vec3(1, 0.01, 0), Vec3(4, 0, 0)};
  const std::vector<Vec3> a = spread_points(straight, 17), b = spread_points(bent, 17);
  // Rounding of the corner's place shifts its neighbours by less than half a spacing.
  for (size_t k = 0; k < 17; ++k) EXPECT_LT((a[k] - b[k]).norm(), 0.5 * 4 / 16);
}

TEST(RouteDrawing, PointsThatAreLeftOutLieOnTheOneBefore) {
  const Skeleton skeleton = one_body();
  OpenSimPath path{"m", {}, {}};
  for (int k = 0; k < 4; ++k) {
    OpenSimPathPoint point;
    point.body = BodyIndex(0);
    point.x_B = Vec3(k, 0, 0);
    if (k == 2) {
      point.condition = DofIndex(0);
      point.lower = 1;
      point.upper = 2;
    }
    path.points.push_back(point);
  }
  SkeletonWorkspace ws(skeleton);
  const OpenSimPathOnSkeleton route(skeleton, path);
  const VecX qdot = VecX::Zero(1);
  for (const double angle : {0.5, 1.5}) {
    const VecX q = VecX::Constant(1, angle);
    update_kinematics(skeleton, q, qdot, ws);
    const ConstVecRef pose(q), rest(qdot);
    OpenSimPathWorkspace course;
    route.update({skeleton, 0, pose, rest, ws}, course);
    std::vector<Vec3> anchors;
    place_anchors(route, course, anchors);
    const Pose E_WB = body_pose(skeleton, ws, BodyIndex(0));
    ASSERT_EQ(anchors.size(), 4u);
    EXPECT_LT((anchors[2] - E_WB * Vec3(angle > 1 ? 2 : 1, 0, 0)).norm(), 1e-14);
    EXPECT_LT((anchors[3] - E_WB * Vec3(3, 0, 0)).norm(), 1e-14);
  }
}

}  // namespace opensim_path_drawing_test
}  // namespace sinew
