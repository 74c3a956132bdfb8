#include "sinew/constraints/contact/contact_shape.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <numbers>

#include "sinew/core/error.hpp"
#include "support/random.hpp"

namespace sinew {
namespace contact_shape_test {

using test::Random;
using ::testing::HasSubstr;

std::string error_of(const ContactShape& shape) {
  try {
    validate(shape, "body 'foot', contact 1");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ContactShape, RefusesParametersThatMeanNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(Sphere{-1}), HasSubstr("radius"));
  EXPECT_THAT(error_of(Capsule{0.1, nan}), HasSubstr("height"));
  EXPECT_THAT(error_of(Cuboid{{1, 0, 1}}), HasSubstr("side y"));
  EXPECT_THAT(error_of(Ellipsoid{{1, 1, 1e9}}), HasSubstr("radius z"));
  EXPECT_THAT(error_of(MeshVertices{}), HasSubstr("no vertices"));
  EXPECT_THAT(error_of(MeshVertices{{Vec3::Zero(), Vec3(0, nan, 0)}}), HasSubstr("vertex 2"));
  EXPECT_THAT(error_of(MeshVertices{{Vec3(0, 2e6, 0)}}), HasSubstr("body 'foot', contact 1"));
}

TEST(ContactShape, AcceptsOneOfEveryKind) {
  for (const ContactShape& shape :
       {ContactShape(Sphere{1}), ContactShape(Capsule{1, 1}), ContactShape(Cuboid{{1, 1, 1}}),
        ContactShape(Ellipsoid{{1, 1, 1}}), ContactShape(Cylinder{1, 1}),
        ContactShape(MeshVertices{{Vec3::Zero()}}), ContactShape(Plane{})})
    EXPECT_EQ(error_of(shape), "") << type_name(shape);
}

TEST(ContactShape, AMeshTouchesByItsVertices) {
  const TriangleMesh mesh{{Vec3(1, 2, 3), Vec3(4, 5, 6)}, {}};
  const ContactShape shape = contact_shape(Shape(mesh));
  ASSERT_TRUE(std::holds_alternative<MeshVertices>(shape));
  EXPECT_EQ(std::get<MeshVertices>(shape).points, mesh.vertices);
  EXPECT_EQ(type_name(contact_shape(Shape(Capsule{1, 2}))), "capsule");
}

/// A dense set of points of the surface that holds its extreme points in every direction, to 1e-3.
std::vector<Vec3> surface_points(const ContactShape& shape) {
  std::vector<Vec3> points;
  const auto sphere = [&](const Vec3& radii, double shift) {
    constexpr int n = 200;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j < 2 * n; ++j) {
        const double polar = std::numbers::pi * i / n, angle = std::numbers::pi * j / n;
        const double z = std::cos(polar);
        points.push_back(radii.cwiseProduct(Vec3(std::sin(polar) * std::cos(angle),
                                                 std::sin(polar) * std::sin(angle), z)) +
                         Vec3(0, 0, z < 0 ? -shift : shift));
      }
  };
  if (const auto* s = std::get_if<Sphere>(&shape)) sphere(Vec3::Constant(s->radius), 0);
  if (const auto* s = std::get_if<Capsule>(&shape))
    sphere(Vec3::Constant(s->radius), 0.5 * s->height);
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) sphere(s->radii, 0);
  if (const auto* s = std::get_if<Cylinder>(&shape))
    sphere(Vec3(s->radius, s->radius, 0), 0.5 * s->height);
  if (const auto* s = std::get_if<Cuboid>(&shape))
    for (int i = 0; i < 8; ++i)
      points.push_back(
          0.5 * s->sides.cwiseProduct(Vec3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1)));
  if (const auto* s = std::get_if<MeshVertices>(&shape)) points = s->points;
  return points;
}

TEST(ContactShape, BoundsAreTheSmallestBoxAroundTheSurface) {
  Random random(1);
  const double margin = 0.25;
  for (const ContactShape& shape :
       {ContactShape(Sphere{0.7}), ContactShape(Capsule{0.3, 1.5}),
        ContactShape(Cuboid{{0.5, 1, 2}}), ContactShape(Ellipsoid{{0.5, 1, 2}}),
        ContactShape(Cylinder{0.4, 1.2}),
        ContactShape(MeshVertices{{random.vec3(), random.vec3(), random.vec3()}})})
    for (int k = 0; k < 5; ++k) {
      const Pose E = random.pose(3);
      Vec3 low = Vec3::Constant(1e9), high = -low;
      for (const Vec3& x : surface_points(shape)) {
        low = low.cwiseMin(E * x);
        high = high.cwiseMax(E * x);
      }
      const Aabb box = bounds(shape, E, margin);
      // Points 0.016 rad apart miss the extreme ones by 2 × 0.008²/2 of the longest radius at most.
      EXPECT_LE((box.low.array() + margin - low.array()).abs().maxCoeff(), 2e-4)
          << type_name(shape);
      EXPECT_LE((box.high.array() - margin - high.array()).abs().maxCoeff(), 2e-4)
          << type_name(shape);
      // And the box never cuts the shape.
      EXPECT_TRUE((box.low.array() + margin <= low.array() + 1e-14).all()) << type_name(shape);
      EXPECT_TRUE((box.high.array() - margin >= high.array() - 1e-14).all()) << type_name(shape);
    }
}

TEST(ContactShape, LevelGroundIsBoundedAboveAndASlopeIsNot) {
  const double inf = std::numeric_limits<double>::infinity();
  const Aabb level = bounds(Plane{}, Pose::Translation({3, 2, 1}), 0.5);
  EXPECT_EQ(level.high, Vec3(inf, 2.5, inf));
  EXPECT_EQ(level.low, Vec3(-inf, -inf, -inf));
  Mat3 wall;  // its normal is −z
  wall << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  EXPECT_EQ(bounds(Plane{}, {wall, Vec3(0, 0, 4)}, 0).low, Vec3(-inf, -inf, 4));
  const Mat3 slope = Eigen::AngleAxisd(1e-9, Vec3::UnitX()).toRotationMatrix();
  EXPECT_EQ(bounds(Plane{}, {slope, Vec3(3, 2, 1)}, 0).high, Vec3(inf, inf, inf));
}

}  // namespace contact_shape_test
}  // namespace sinew
