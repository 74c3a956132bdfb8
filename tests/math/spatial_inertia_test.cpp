#include "sinew/math/spatial_inertia.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/random.hpp"

namespace sinew {
namespace spatial_inertia_test {

using test::Random;
// Roundings of sums of quantities of order 10.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

double max_abs(const MatX& m) { return m.cwiseAbs().maxCoeff(); }

/// The inertia of a cloud of mass points, summed from the definition.
struct Cloud {
  std::vector<double> masses;
  std::vector<Vec3> points;

  SpatialInertia inertia(const Pose& E = {}) const {
    SpatialInertia sum;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const Vec3 x = E * points[i];
      sum.mass += masses[i];
      sum.h += masses[i] * x;
      sum.I += masses[i] * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
    }
    return sum;
  }
};

Cloud cloud(Random& random) {
  Cloud c;
  for (int i = 0; i < 6; ++i) {
    c.masses.push_back(random.uniform(0.1, 1));
    c.points.push_back(random.vec3());
  }
  return c;
}

void expect_equal(const SpatialInertia& a, const SpatialInertia& b) {
  EXPECT_NEAR(a.mass, b.mass, kRounding);
  EXPECT_LE((a.h - b.h).norm(), kRounding);
  EXPECT_LE(max_abs(a.I - b.I), kRounding);
}

TEST(SpatialInertia, MomentumIsThatOfThePoints) {
  // Momentum at the origin of Σ m (x × ẋ; ẋ) with ẋ = v + ω × x.
  Random random(1);
  const Cloud c = cloud(random);
  const Vec6 phi = random.vec6();
  Vec6 momentum = Vec6::Zero();
  for (std::size_t i = 0; i < c.masses.size(); ++i) {
    const Vec3 x = c.points[i];
    const Vec3 xdot = phi.tail<3>() + phi.head<3>().cross(x);
    momentum.head<3>() += c.masses[i] * x.cross(xdot);
    momentum.tail<3>() += c.masses[i] * xdot;
  }
  EXPECT_LE((c.inertia() * phi - momentum).norm(), kRounding);
  EXPECT_LE((c.inertia().matrix() * phi - momentum).norm(), kRounding);
}

TEST(SpatialInertia, TransformsWithTheAdjoint) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const SpatialInertia M_B = cloud(random).inertia();
    const Pose E_AB = random.pose();
    const Mat6 Ad_BA = Ad(E_AB.inverse());
    EXPECT_LE(max_abs(M_B.transformed(E_AB).matrix() - Ad_BA.transpose() * M_B.matrix() * Ad_BA),
              kRounding);
  }
}

TEST(SpatialInertia, TransformsAsThePointsMove) {
  Random random(3);
  const Cloud c = cloud(random);
  const Pose E = random.pose(), F = random.pose();
  expect_equal(c.inertia().transformed(E), c.inertia(E));
  expect_equal(c.inertia().transformed(E).transformed(F), c.inertia(F * E));
  expect_equal(c.inertia(E).transformed(E.inverse()), c.inertia());
}

TEST(SpatialInertia, SumsAreThoseOfTheClouds) {
  Random random(4);
  const Cloud a = cloud(random), b = cloud(random);
  Cloud both = a;
  both.masses.insert(both.masses.end(), b.masses.begin(), b.masses.end());
  both.points.insert(both.points.end(), b.points.begin(), b.points.end());
  expect_equal(a.inertia() + b.inertia(), both.inertia());
}

TEST(SpatialInertia, ObeysTheParallelAxisTheorem) {
  const Mat3 I_com = Vec3(2, 3, 4).asDiagonal();
  const SpatialInertia M = SpatialInertia::FromCentral(5, Vec3(0, 0, 2), I_com);
  EXPECT_LE(max_abs(M.I - Mat3(Vec3(2 + 5 * 4, 3 + 5 * 4, 4).asDiagonal())), kRounding);
  EXPECT_LE((M.com() - Vec3(0, 0, 2)).norm(), kRounding);
  EXPECT_LE(max_abs(M.central_inertia() - I_com), kRounding);
}

TEST(SpatialInertia, PrincipalFrameRecoversWhatItWasMadeFrom) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Vec3 moments(1, 1.7, 2.4);
    const Pose E = random.pose();
    const SpatialInertia M =
        SpatialInertia::FromCentral(3, Vec3::Zero(), moments.asDiagonal()).transformed(E);
    const PrincipalInertia principal = principal_inertia(M);
    EXPECT_LE((principal.moments - moments).norm(), kRounding);
    EXPECT_LE((principal.E_BI.p - E.p).norm(), kRounding);
    EXPECT_NEAR(principal.E_BI.R.determinant(), 1, kRounding);
    // Seen from that frame, M is diagonal: the axes agree up to their signs.
    const Mat6 diagonal = M.transformed(principal.E_BI.inverse()).matrix();
    Vec6 expected;
    expected << moments, 3, 3, 3;
    EXPECT_LE(max_abs(diagonal - Mat6(expected.asDiagonal())), kRounding);
  }
}

TEST(SpatialInertia, AcceptsRealBodies) {
  Random random(6);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(physical_defect(cloud(random).inertia()), "");
  // The limits: a rod, a plate (where the triangle inequality is an equality), a point.
  const auto central = [](const Vec3& moments, const Vec3& com) {
    return SpatialInertia::FromCentral(1, com, moments.asDiagonal());
  };
  EXPECT_EQ(physical_defect(central({0, 1, 1}, Vec3::Zero())), "");
  EXPECT_EQ(physical_defect(central({1, 2, 3}, Vec3::Zero())), "");
  EXPECT_EQ(physical_defect(central({0, 0, 0}, Vec3::Zero())), "");
  // The same far from the origin, where parallel axes leave rounding behind.
  for (int i = 0; i < 100; ++i) {
    const Vec3 com = random.vec3(30);
    EXPECT_EQ(physical_defect(central({0, 0, 0}, com)), "");
    EXPECT_EQ(physical_defect(central({0, 1, 1}, com)), "");
    EXPECT_EQ(physical_defect(central({1, 2, 3}, com)), "");
  }
}

TEST(SpatialInertia, SaysWhatIsImpossible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto defect = [](double mass, const Vec3& moments) {
    return physical_defect({mass, Vec3::Zero(), moments.asDiagonal()});
  };
  EXPECT_EQ(defect(0, {1, 1, 1}), "mass is not positive");
  EXPECT_EQ(defect(-1, {1, 1, 1}), "mass is not positive");
  EXPECT_EQ(defect(nan, {1, 1, 1}), "inertia is not finite");
  EXPECT_EQ(defect(1, {1, nan, 1}), "inertia is not finite");
  EXPECT_EQ(defect(1, {-1, 1, 1}), "inertia is indefinite");
  EXPECT_EQ(defect(1, {1, 1, 2.01}), "principal moments violate the triangle inequality");
  // An inertia too small for the offset of its centre of mass.
  EXPECT_EQ(physical_defect({1, Vec3(0, 0, 2), Mat3(Vec3(1, 1, 1).asDiagonal())}),
            "inertia is indefinite");
  SpatialInertia skewed{1, Vec3::Zero(), Mat3::Identity()};
  skewed.I(0, 1) = 0.1;
  EXPECT_EQ(physical_defect(skewed), "inertia is not symmetric");
}

TEST(SpatialInertia, TriangleToleranceForgivesRoundedTables) {
  const SpatialInertia M{1, Vec3::Zero(), Mat3(Vec3(1, 1, 2.001).asDiagonal())};
  EXPECT_NE(physical_defect(M), "");
  EXPECT_EQ(physical_defect(M, 1e-3), "");
}

}  // namespace spatial_inertia_test
}  // namespace sinew
