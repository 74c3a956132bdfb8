#include "sinew/constraints/contact/contact_pairs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "constraints/example_contacts.hpp"
#include "sinew/core/error.hpp"
#include "support/random.hpp"

namespace sinew {
namespace contact_pairs_test {

using test::contacts_of;
using test::least_gap;
using test::Random;
using test::shapes;
using ::testing::HasSubstr;

TEST(ContactPairs, CanTouchInEitherOrder) {
  int known = 0;
  for (const ContactShape& A : shapes())
    for (const ContactShape& B : shapes()) {
      EXPECT_EQ(can_touch(A, B), can_touch(B, A));
      known += can_touch(A, B) ? 1 : 0;
    }
  // In both orders: the plane with the 6 others, the sphere with 5 more, mesh vertices with the
  // other 4 solids; and sphere, capsule and cuboid with their own kind.
  EXPECT_EQ(known, 2 * (6 + 5 + 4) + 3);
}

TEST(ContactPairs, NamesAPairThatCannotTouch) {
  EXPECT_NO_THROW(require_contact(Sphere{1}, Plane{}, "scene"));
  try {
    require_contact(Ellipsoid{{1, 1, 1}}, Cuboid{{1, 1, 1}}, "contact of 'head' with 'shelf'");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("contact of 'head' with 'shelf'"));
    EXPECT_THAT(e.what(), HasSubstr("ellipsoid with cuboid"));
  }
  EXPECT_TRUE(contacts_of(Ellipsoid{{1, 1, 1}}, {}, Cuboid{{1, 1, 1}}, {}).empty());
}

TEST(ContactPairs, OnAPlaneHaveTheTextbookGaps) {
  // Ground at height 1, tilted shapes above it.
  const Pose ground = Pose::Translation({0, 1, 0});
  const Mat3 R = Eigen::AngleAxisd(0.3, Vec3::UnitX()).toRotationMatrix();
  const Pose E{R, Vec3(2, 3, 4)};
  const auto gaps = [&](const ContactShape& shape) {
    std::vector<double> out;
    for (const Contact& c : contacts_of(shape, E, Plane{}, ground)) {
      EXPECT_EQ(c.n, Vec3::UnitY());
      EXPECT_NEAR(c.x_B.y(), 1, 1e-15);
      out.push_back(c.gap);
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  const double s = std::sin(0.3), k = std::cos(0.3);
  using ::testing::DoubleNear;
  using ::testing::ElementsAre;
  const auto near = [](double x) { return DoubleNear(x, 2e-15); };  // rounding of numbers about 3
  EXPECT_THAT(gaps(Sphere{0.5}), ElementsAre(near(1.5)));
  // z dips by sin 0.3: R e_z = (0, −s, k).
  EXPECT_THAT(gaps(Capsule{0.5, 2}), ElementsAre(near(1.5 - s), near(1.5 + s)));
  EXPECT_THAT(gaps(Ellipsoid{{1, 0.5, 1.5}}), ElementsAre(near(2 - std::hypot(0.5 * k, 1.5 * s))));
  const auto box = gaps(Cuboid{{1, 2, 3}});
  ASSERT_EQ(box.size(), 8u);
  EXPECT_NEAR(box[0], 2 - k - 1.5 * s, 2e-15);
  EXPECT_NEAR(box[1], box[0], 2e-15);
  EXPECT_NEAR(box[7], 2 + k + 1.5 * s, 2e-15);
  EXPECT_NEAR(gaps(Cylinder{0.5, 2})[0], 2 - s - 0.5 * k, 2e-15);
}

TEST(ContactPairs, AStandingCylinderIsCarriedAllRound) {
  const Mat3 upright = Eigen::AngleAxisd(-std::acos(0.0), Vec3::UnitX()).toRotationMatrix();
  const auto contacts =
      contacts_of(Cylinder{0.5, 2}, {upright, Vec3(0, 1, 0)}, Plane{}, Pose{}, 1e-9);
  ASSERT_GE(contacts.size(), 4u);
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  for (const Contact& c : contacts) {
    low = low.cwiseMin(c.x_A);
    high = high.cwiseMax(c.x_A);
  }
  // The four quarters of the rim.
  EXPECT_LE((high - Vec3(0.5, 0, 0.5)).norm(), 1e-15);
  EXPECT_LE((low - Vec3(-0.5, 0, -0.5)).norm(), 1e-15);
}

TEST(ContactPairs, SpheresMeetOnTheLineOfTheirCentres) {
  const auto c = contacts_of(Sphere{1}, Pose::Translation({0, 3, 4}), Sphere{2}, Pose{});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 2, 1e-15);
  EXPECT_LE((c[0].n - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_LE((c[0].x_B - 2 * Vec3(0, 0.6, 0.8)).norm(), 1e-15);
}

/// Least distance of two segments: over one of them by golden section (it is convex), to the other
/// in closed form.
double segment_distance(const Capsule& a, const Pose& E_WA, const Capsule& b, const Pose& E_WB) {
  const auto at = [&](double z) {
    Vec3 p = E_WB.inverse() * (E_WA * Vec3(0, 0, z));
    p.z() -= std::clamp(p.z(), -0.5 * b.height, 0.5 * b.height);
    return p.norm();
  };
  double low = -0.5 * a.height, high = 0.5 * a.height;
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  for (int k = 0; k < 100; ++k) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    (at(x) < at(y) ? high : low) = at(x) < at(y) ? y : x;
  }
  return at(0.5 * (low + high));
}

TEST(ContactPairs, CapsulesAreAsFarApartAsTheirAxesLessTheirRadii) {
  Random random(8);
  std::set<int> nearest_features;
  for (int k = 0; k < 500; ++k) {
    const Capsule a{random.uniform(0.01, 0.2), random.uniform(0.1, 2)};
    const Capsule b{random.uniform(0.01, 0.2), random.uniform(0.1, 2)};
    const Pose E_WA = random.pose(0.8), E_WB = random.pose(0.8);
    const auto contacts = contacts_of(a, E_WA, b, E_WB);
    // Golden section finds a minimum to the square root of rounding, its value to rounding.
    EXPECT_NEAR(least_gap(contacts), segment_distance(a, E_WA, b, E_WB) - a.radius - b.radius,
                1e-12);
    for (const Contact& c : contacts)
      if (c.gap == least_gap(contacts)) nearest_features.insert(c.feature);
  }
  // All kinds of contact came up: ends of either, and crossings.
  EXPECT_EQ(nearest_features, (std::set<int>{0, 1, 2, 3, 4}));
}

TEST(ContactPairs, ParallelCapsulesTouchAtBothEndsOfTheStretchTheyShare) {
  // Axes along z, 0.5 apart; A from −1 to 1, B from 0 to 3.
  const Capsule a{0.2, 2}, b{0.2, 3};
  const Pose E_WB = Pose::Translation({0, -0.5, 1.5});
  const auto contacts = contacts_of(a, Pose{}, b, E_WB, 0.15);
  ASSERT_EQ(contacts.size(), 2u);
  for (const Contact& c : contacts) {
    EXPECT_NEAR(c.gap, 0.1, 1e-15);
    EXPECT_LE((c.n - Vec3::UnitY()).norm(), 1e-15);
  }
  EXPECT_NEAR(contacts[0].x_A.z() + contacts[1].x_A.z(), 1, 1e-15);

  // Tilted by less and less, on either side of the angle below which they count as parallel, both
  // contacts stay and no gap jumps: each gap is within angle × length of 0.1.
  for (double angle = 1e-2; angle > 1e-14; angle /= 10)
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
      const Pose tilted = Pose::Rotation(Eigen::AngleAxisd(angle, axis).toRotationMatrix());
      const auto near = contacts_of(a, tilted, b, E_WB, 0.15);
      std::set<int> features;
      for (const Contact& c : near) {
        features.insert(c.feature);
        EXPECT_NEAR(c.gap, 0.1, 1.5 * angle);
        EXPECT_NEAR(c.n.y(), 1, 10 * angle * angle + 1e-12);
      }
      for (const Contact& c : contacts) EXPECT_TRUE(features.count(c.feature)) << angle;
    }
}

TEST(ContactPairs, GiveADefinedAnswerInEveryDegenerateCase) {
  const Mat3 turned = Random(2).pose(1).R;
  const Capsule point_like{0.3, 0};
  const struct {
    ContactShape A;
    Pose E_WA;
    ContactShape B;
    double least_gap;
  } cases[] = {
      {Sphere{0.4}, {}, Sphere{0.3}, -0.7},                                  // concentric
      {Sphere{0.4}, {}, Capsule{0.3, 1}, -0.7},                              // on the axis
      {Sphere{0.4}, Pose::Translation({0, 0, 0.5}), Capsule{0.3, 1}, -0.7},  // on its very end
      {Sphere{0.4}, {}, Cuboid{{1, 1, 1}}, -0.9},  // in the middle of a cube
      {Sphere{0.4}, Pose::Translation({0.5, 0.5, 0.5}), Cuboid{{1, 1, 1}}, -0.4},  // on its vertex
      {Sphere{0.4}, Pose::Translation({0.5, 0.5, 0}), Cuboid{{1, 1, 1}}, -0.4},    // on its edge
      {Sphere{0.4}, {}, Ellipsoid{{0.5, 0.6, 0.7}}, -0.9},
      {Sphere{0.4}, {}, Cylinder{0.5, 1}, -0.9},
      {Capsule{0.3, 1}, {}, Capsule{0.3, 1}, -0.6},                      // the same place
      {Capsule{0.3, 1}, Pose::Rotation(turned), Capsule{0.3, 1}, -0.6},  // axes that cross
      {point_like, Pose::Translation({1, 0, 0}), Capsule{0.3, 1}, 0.4},
      {point_like, Pose::Translation({1, 0, 0}), point_like, 0.4},
      {point_like, {}, point_like, -0.6},
      {point_like, Pose::Translation({0, 1, 0}), Plane{}, 0.7},
      {Cuboid{{1, 1, 1}}, {}, Cuboid{{1, 1, 1}}, -1},
      {MeshVertices{{Vec3::Zero()}}, {}, Ellipsoid{{0.5, 0.5, 0.5}}, -0.5},
      {Cylinder{0.5, 1}, Pose::Rotation(turned.transpose() * turned), Plane{}, -0.5},
  };
  for (const auto& k : cases) {
    SCOPED_TRACE(type_name(k.A) + " on " + type_name(k.B));
    const auto contacts = contacts_of(k.A, k.E_WA, k.B, Pose{});
    ASSERT_FALSE(contacts.empty());
    EXPECT_NEAR(least_gap(contacts), k.least_gap, 1e-15);
    for (const Contact& c : contacts) {
      EXPECT_NEAR(c.n.norm(), 1, 1e-15);
      EXPECT_LE((c.x_A - c.x_B - c.gap * c.n).norm(), 1e-15);
      const ContactDerivatives d = contact_derivatives(k.A, k.E_WA, k.B, Pose{}, c);
      EXPECT_TRUE(d.dn.allFinite() && d.dx_A.allFinite() && d.dx_B.allFinite());
    }
  }
}

// Symmetric poses, where ties, parallels and points on edges abound.
TEST(ContactPairs, GiveADefinedAnswerOnALatticeOfPoses) {
  Random random(9);
  const auto lattice = [&](double bound, double step) {
    return step * std::round(random.uniform(-bound, bound) / step);
  };
  const auto pose = [&] {
    const double eighth = std::acos(0.0) / 2;
    Pose E = Pose::Translation({lattice(0.6, 0.2), lattice(0.6, 0.2), lattice(0.6, 0.2)});
    for (int i = 0; i < 3; ++i)
      E.R = E.R * Eigen::AngleAxisd(lattice(2, eighth), Vec3::Unit(i)).toRotationMatrix();
    return E;
  };
  const std::vector<ContactShape> regular = {Sphere{0.4},
                                             Capsule{0.2, 0.8},
                                             Cuboid{{0.4, 0.4, 0.8}},
                                             Cylinder{0.4, 0.8},
                                             Ellipsoid{{0.4, 0.4, 0.8}},
                                             Ellipsoid{{0.4, 0.8, 0.8}},
                                             MeshVertices{{Vec3(0.2, 0, 0), Vec3(0, 0, 0)}},
                                             Plane{}};
  for (const ContactShape& A : regular)
    for (const ContactShape& B : regular)
      for (int k = 0; k < 100; ++k) {
        SCOPED_TRACE(type_name(A) + " on " + type_name(B) + ", pose " + std::to_string(k));
        const Pose E_WA = pose(), E_WB = pose();
        for (const Contact& c : contacts_of(A, E_WA, B, E_WB)) {
          EXPECT_NEAR(c.n.norm(), 1, 1e-14);  // rounding
          EXPECT_LE((c.x_A - c.x_B - c.gap * c.n).norm(), 2e-14);
          const ContactDerivatives d = contact_derivatives(A, E_WA, B, E_WB, c);
          EXPECT_TRUE(d.dn.allFinite() && d.dx_A.allFinite() && d.dx_B.allFinite());
        }
      }
}

}  // namespace contact_pairs_test
}  // namespace sinew
