#include "sinew/muscles/geometry_path.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Two links in space, three coordinates: a ball-like pair of hinges and an elbow.
Skeleton two_links() {
  SkeletonBuilder builder;
  BodySpec upper;
  upper.name = "upper";
  upper.joint = Universal{};
  upper.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.15, 0), 0.01 * Mat3::Identity());
  builder.add_body(upper);
  BodySpec lower = upper;
  lower.name = "lower";
  lower.parent = "upper";
  lower.joint_name = "elbow";
  lower.joint = Revolute(Vec3(0.1, 0.05, 1));
  lower.E_PJ = Pose::Translation(Vec3(0, -0.3, 0));
  builder.add_body(lower);
  return builder.build();
}

constexpr BodyIndex kUpper{0}, kLower{1};

RoutePoint fixed(BodyIndex body, const Vec3& x_B) {
  RoutePoint point;
  point.body = body;
  point.x_B = x_B;
  return point;
}

GeometryPath straight_path() {
  return {"m", {fixed(kWorld, Vec3(0.05, 0.05, 0.02)), fixed(kLower, Vec3(0.04, -0.1, 0))}, {}};
}

RouteSurface around(PathSurface::Kind kind, const Vec3& size, const Vec3& p, int points) {
  auto surface = std::make_shared<PathSurface>();
  surface->name = "s";
  surface->body = kUpper;
  surface->kind = kind;
  surface->size = size;
  surface->E_BS = Pose::Translation(p);
  return {surface, 0, points - 1};
}

struct Evaluated {
  PathCourse course;
  VecX tau;
};
Evaluated evaluate(const GeometryPath& path, const VecX& q) {
  const Skeleton skeleton = two_links();
  SkeletonWorkspace ws(skeleton);
  update_kinematics(skeleton, q, VecX::Zero(3), ws);
  Evaluated out{{}, VecX::Zero(3)};
  update_course(path, skeleton, ws, q, out.course);
  add_unit_tension(path, skeleton, ws, q, out.course, out.tau);
  return out;
}

VecX pose(double a, double b, double c) { return Vec3(a, b, c); }

/// −∂L/∂q against central differences, whose error falls with h² to rounding.
void expect_gradient(const GeometryPath& path, const VecX& q, double tolerance) {
  const VecX tau = evaluate(path, q).tau;
  for (int k = 0; k < 3; ++k) {
    const double h = 1e-5;
    const VecX d = h * VecX::Unit(3, k);
    const double slope =
        (evaluate(path, q + d).course.length - evaluate(path, q - d).course.length) / (2 * h);
    EXPECT_NEAR(tau[k], -slope, tolerance) << "coordinate " << k;
  }
}

GeometryPath moving_path() {
  GeometryPath path = straight_path();
  RoutePoint point = fixed(kUpper, Vec3(0.03, -0.2, 0));
  point.motions.push_back(
      {Vec3::UnitX(), DofIndex(2), PolynomialFunction{{0.01, 0.02, 0.01}}, -2, 2});
  point.motions.push_back({Vec3(0, 0.6, 0.8), DofIndex(0), LinearFunction{{0.01}, 0}, -2, 2});
  path.points.insert(path.points.begin() + 1, point);
  return path;
}

TEST(GeometryPath, GenforceIsTheGradientOfTheLength) {
  const VecX q = pose(0.2, -0.3, 0.7);
  // Rounding ε/h = 1e-11, truncation h².
  expect_gradient(straight_path(), q, 1e-9);
  expect_gradient(moving_path(), q, 1e-9);
  using Kind = PathSurface::Kind;
  for (const RouteSurface& surface :
       {around(Kind::cylinder, Vec3(0.06, 1, 0), Vec3(0.05, -0.15, 0), 2),
        around(Kind::sphere, Vec3(0.06, 0, 0), Vec3(0.05, -0.15, 0), 2),
        around(Kind::ellipsoid, Vec3(0.05, 0.07, 0.06), Vec3(0.05, -0.15, 0), 2)}) {
    GeometryPath path = straight_path();
    path.surfaces = {surface};
    ASSERT_EQ(evaluate(path, q).course.nodes.size(), 4u);
    expect_gradient(path, q, 1e-8);
  }
}

TEST(GeometryPath, SeveralSurfacesAreMetUntilTheLengthStandsStill) {
  using Kind = PathSurface::Kind;
  GeometryPath path = straight_path();
  path.surfaces = {around(Kind::cylinder, Vec3(0.03, 1, 0), Vec3(0.05, -0.08, 0), 2),
                   around(Kind::cylinder, Vec3(0.03, 1, 0), Vec3(0.06, -0.22, 0), 2)};
  const VecX q = pose(0.1, 0.05, 0.5);
  ASSERT_EQ(evaluate(path, q).course.nodes.size(), 6u);
  // What is left of the alternation is 1e-13 of length.
  expect_gradient(path, q, 1e-7);
}

TEST(GeometryPath, AMovingPointStopsAtItsRange) {
  GeometryPath path = moving_path();
  path.points[1].motions[0].upper = 0.5;
  const double at = evaluate(path, pose(0, 0, 0.5)).course.nodes[1].x_B.x();
  EXPECT_EQ(evaluate(path, pose(0, 0, 0.9)).course.nodes[1].x_B.x(), at);
}

TEST(GeometryPath, AConditionalPointBelongsToThePathWithinItsLimits) {
  GeometryPath path = moving_path();
  path.points[1].condition = DofIndex(2);
  path.points[1].lower = 0.2;
  path.points[1].upper = 0.4;
  const auto nodes = [&](double elbow) {
    return evaluate(path, pose(0, 0, elbow)).course.nodes.size();
  };
  EXPECT_EQ(nodes(0.3), 3u);
  EXPECT_EQ(nodes(0.2 - 0.9e-5), 3u);
  EXPECT_EQ(nodes(0.2 - 1.1e-5), 2u);
  EXPECT_EQ(nodes(0.4 + 1.1e-5), 2u);
}

TEST(GeometryPath, ASurfaceIsMetOnlyBetweenPointsOfItsRange) {
  GeometryPath path = straight_path();
  path.points.insert(path.points.begin(), fixed(kWorld, Vec3(0.06, 0.2, 0.02)));
  path.surfaces = {around(PathSurface::Kind::sphere, Vec3(0.06, 0, 0), Vec3(0.05, -0.15, 0), 3)};
  const VecX q = pose(0.2, -0.3, 0.7);
  EXPECT_EQ(evaluate(path, q).course.nodes.size(), 5u);
  path.surfaces[0].last = 1;
  EXPECT_EQ(evaluate(path, q).course.nodes.size(), 3u);
}

TEST(GeometryPath, RefusesOnePointAndRangesOutsideThePath) {
  GeometryPath path = straight_path();
  path.surfaces = {around(PathSurface::Kind::sphere, Vec3(0.06, 0, 0), Vec3::Zero(), 3)};
  EXPECT_THROW(validate(path, "m"), Error);
  path.surfaces.clear();
  EXPECT_NO_THROW(validate(path, "m"));
  path.points.pop_back();
  EXPECT_THROW(validate(path, "m"), Error);
}

}  // namespace
}  // namespace sinew
