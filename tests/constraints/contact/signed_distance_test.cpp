#include "sinew/constraints/contact/signed_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace signed_distance_test {

using test::Random;

// The side of the surface a point is on, computed in the simplest way for each shape.
bool inside(const Plane&, const Vec3& p) { return p.y() < 0; }
bool inside(const Sphere& s, const Vec3& p) { return p.norm() < s.radius; }
bool inside(const Cuboid& s, const Vec3& p) {
  return (p.cwiseAbs().array() < 0.5 * s.sides.array()).all();
}
bool inside(const Cylinder& s, const Vec3& p) {
  return std::hypot(p.x(), p.y()) < s.radius && std::abs(p.z()) < 0.5 * s.height;
}
bool inside(const Capsule& s, const Vec3& p) {
  const Vec3 end(0, 0, 0.5 * s.height);
  return inside(Cylinder{s.radius, s.height}, p) || (p - end).norm() < s.radius ||
         (p + end).norm() < s.radius;
}
bool inside(const Ellipsoid& s, const Vec3& p) { return p.cwiseQuotient(s.radii).norm() < 1; }

/// The ball around p that reaches to the surface does not cross it, and its pole does.
template <class S>
void expect_nearest(const S& shape, const Vec3& p, Random& random) {
  const SignedDistance d = signed_distance(shape, p);
  ASSERT_TRUE(std::isfinite(d.s) && d.n.allFinite()) << p.transpose();
  EXPECT_NEAR(d.n.norm(), 1, 1e-14);  // rounding
  const bool within = d.s < 0;
  // 1e-9 of the size (about 1) tells the two sides of the surface apart, at the sharpest curvature
  // below (radius 0.01) too; rounding is 1e-15.
  const double eps = 1e-9;
  const Vec3 foot = p - d.s * d.n;
  EXPECT_TRUE(inside(shape, foot - eps * d.n)) << p.transpose() << " s " << d.s;
  EXPECT_FALSE(inside(shape, foot + eps * d.n)) << p.transpose() << " s " << d.s;
  if (std::abs(d.s) < 2 * eps) return;
  EXPECT_EQ(inside(shape, p), within);
  for (int k = 0; k < 200; ++k) {
    const Vec3 y = p + (std::abs(d.s) - eps) * random.unit_vector();
    EXPECT_EQ(inside(shape, y), within) << p.transpose() << " s " << d.s;
  }
}

template <class S>
void expect_smooth(const S& shape, const Vec3& p) {
  const SignedDistance d = signed_distance(shape, p);
  const auto s_at = [&](const VecX& x) -> VecX {
    return VecX::Constant(1, signed_distance(shape, Vec3(x)).s);
  };
  const auto n_at = [&](const VecX& x) -> VecX { return signed_distance(shape, Vec3(x)).n; };
  const DifferenceSweep ds = check_derivative(s_at, p, d.n.transpose());
  const DifferenceSweep dn = check_derivative(n_at, p, distance_hessian(shape, p));
  EXPECT_TRUE(ds.confirms()) << p.transpose() << "\n" << ds.table();
  EXPECT_TRUE(dn.confirms()) << p.transpose() << "\n" << dn.table();
}

template <class S>
void expect_laws(const S& shape, double bound) {
  Random random(7);
  for (int k = 0; k < 100; ++k) expect_nearest(shape, random.vec3(bound), random);
}

TEST(SignedDistance, IsTheRadiusOfTheLargestBallThatStaysOnOneSide) {
  expect_laws(Plane{}, 1);
  expect_laws(Sphere{0.8}, 1);
  expect_laws(Capsule{0.3, 1}, 1);
  expect_laws(Cuboid{{0.8, 1.2, 1.6}}, 1);
  expect_laws(Cylinder{0.5, 1.2}, 1);
  expect_laws(Ellipsoid{{0.5, 0.8, 1.1}}, 1);
  expect_laws(Ellipsoid{{1, 0.1, 0.3}}, 0.5);
  expect_laws(Ellipsoid{{0.6, 0.6, 0.6}}, 1);
  expect_laws(Ellipsoid{{0.4, 0.4, 0.9}}, 1);
  expect_laws(Ellipsoid{{0.9, 0.4, 0.9}}, 1);
}

TEST(SignedDistance, HasItsNormalForGradientAndItsHessianForTheNormalsDerivative) {
  // One point in each region in which the formula differs, away from the borders.
  expect_smooth(Plane{}, {0.3, -0.2, 0.5});
  for (double scale : {0.5, 2.0}) expect_smooth(Sphere{0.5}, scale * Vec3(0.2, -0.3, 0.4));
  expect_smooth(Capsule{0.3, 1}, {0.3, 0.4, 0.2});
  expect_smooth(Capsule{0.3, 1}, {0.1, -0.1, 0.3});
  expect_smooth(Capsule{0.3, 1}, {0.3, 0.4, -0.9});
  const Cuboid box{{0.8, 1.2, 1.6}};
  for (const Vec3& p :
       {Vec3(0.7, 0.1, 0.2), Vec3(-0.7, 0.9, 0.2), Vec3(0.7, -0.9, 1.1), Vec3(0.3, 0.2, -0.1)})
    expect_smooth(box, p);
  const Cylinder cylinder{0.5, 1.2};
  for (const Vec3& p : {Vec3(0.7, 0.1, 0.2), Vec3(0.2, 0.1, 0.9), Vec3(-0.7, 0.3, -0.9),
                        Vec3(0.3, 0.2, 0.1), Vec3(0.1, 0.05, -0.5)})
    expect_smooth(cylinder, p);
  const Ellipsoid ellipsoid{{0.5, 0.8, 1.1}};
  for (const Vec3& p : {Vec3(0.7, 0.6, -0.9), Vec3(0, 0.9, 0), Vec3(0.4, 0.1, 0.2),
                        Vec3(0.3, -0.4, 0.1), Vec3(0, 0, 1.3)})
    expect_smooth(ellipsoid, p);
}

TEST(SignedDistance, OfAnEllipsoidWithEqualAxesIsThatOfASphere) {
  Random random(3);
  for (int k = 0; k < 50; ++k) {
    const Vec3 p = random.vec3(2);
    const SignedDistance a = signed_distance(Ellipsoid{{0.7, 0.7, 0.7}}, p);
    const SignedDistance b = signed_distance(Sphere{0.7}, p);
    // Rounding of numbers up to 4.
    EXPECT_NEAR(a.s, b.s, 2e-15);
    EXPECT_LE((a.n - b.n).norm(), 2e-15);
    EXPECT_LE(
        (distance_hessian(Ellipsoid{{0.7, 0.7, 0.7}}, p) - distance_hessian(Sphere{0.7}, p)).norm(),
        1e-14 / p.norm());
  }
}

// The hard points of the root find: on the planes of symmetry, within the focal region where the
// foot leaves the plane, and closer to it than any power of the gap that may underflow.
TEST(SignedDistance, OfAThinEllipsoidIsRightNearItsMiddlePlane) {
  Random random(4);
  const Ellipsoid thin{{1, 0.5, 0.01}};
  for (double z : {0.0, 1e-300, 1e-160, 1e-20, 1e-9, 1e-4, 5e-3})
    for (const Vec3& xy : {Vec3(0, 0, 0), Vec3(0.3, 0, 0), Vec3(0, 0.2, 0), Vec3(0.5, 0.2, 0),
                           Vec3(0.9999, 0, 0), Vec3(1, 0, 0), Vec3(0.9999, 1e-12, 0),
                           Vec3(0, 0.49999, 0), Vec3(2, 0, 0), Vec3(0, -3, 0)}) {
      const Vec3 p = xy + Vec3(0, 0, z);
      expect_nearest(thin, p, random);
      EXPECT_TRUE(distance_hessian(thin, p).allFinite()) << p.transpose();
    }
}

TEST(SignedDistance, OfAFarPointIsFoundInBoundedTime) {
  // 1e6 m from an ellipsoid of 1 mm × 1 m × 1 km, the widest range of sizes in one model.
  const SignedDistance d = signed_distance(Ellipsoid{{1e-3, 1, 1e3}}, {1e6, 0, 0});
  EXPECT_NEAR(d.s, 1e6 - 1e-3, 1e-9);  // rounding of 1e6
  EXPECT_EQ(d.n, Vec3(1, 0, 0));
}

template <class S>
void expect_defined(const S& shape, const Vec3& p, double s) {
  const SignedDistance d = signed_distance(shape, p);
  EXPECT_NEAR(d.s, s, 1e-15);
  EXPECT_NEAR(d.n.norm(), 1, 1e-15);
  EXPECT_TRUE(distance_hessian(shape, p).allFinite());
}

TEST(SignedDistance, ChoosesANormalWhereSeveralAreEqual) {
  const Vec3 o = Vec3::Zero();
  expect_defined(Sphere{0.5}, o, -0.5);
  expect_defined(Sphere{0.5}, Vec3(0, 1e-200, 0), -0.5);
  EXPECT_EQ(signed_distance(Sphere{0.5}, Vec3(0, 1e-200, 0)).n, Vec3(0, 1, 0));
  expect_defined(Capsule{0.5, 1}, o, -0.5);
  expect_defined(Capsule{0.5, 1}, Vec3(0, 0, 0.5), -0.5);
  EXPECT_EQ(signed_distance(Capsule{0.5, 1}, o).n.z(), 0);
  expect_defined(Capsule{0.5, 0}, o, -0.5);
  expect_defined(Cuboid{{1, 1, 1}}, o, -0.5);
  expect_defined(Cuboid{{1, 1, 1}}, Vec3(0.5, 0.5, 0.5), 0);
  expect_defined(Cuboid{{1, 1, 1}}, Vec3(0.5, -0.5, 0), 0);
  expect_defined(Cylinder{0.5, 1}, o, -0.5);
  expect_defined(Cylinder{0.5, 3}, o, -0.5);
  expect_defined(Cylinder{0.5, 1}, Vec3(0.5, 0, 0.5), 0);
  expect_defined(Ellipsoid{{0.5, 0.5, 0.5}}, o, -0.5);
  expect_defined(Ellipsoid{{0.5, 0.5, 2}}, o, -0.5);
  expect_defined(Ellipsoid{{2, 0.5, 1}}, o, -0.5);
}

}  // namespace signed_distance_test
}  // namespace sinew
