#include "sinew/constraints/contact/box_contact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace box_contact_test {

using std::numbers::pi;
using test::Random;

Mat3 rotation(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

std::vector<Contact> contacts_of(const Cuboid& A, const Pose& E_WA, const Cuboid& B,
                                 const Pose& E_WB, double margin = 0.01) {
  std::vector<Contact> contacts;
  add_box_contacts(A, E_WA, B, E_WB, margin, contacts);
  return contacts;
}

double least_gap(const std::vector<Contact>& contacts) {
  return std::min_element(contacts.begin(), contacts.end(),
                          [](const Contact& a, const Contact& b) { return a.gap < b.gap; })
      ->gap;
}

/// Distance of the boxes along the unit vector n, over all their vertices.
double separation(const Cuboid& A, const Pose& E_WA, const Cuboid& B, const Pose& E_WB,
                  const Vec3& n) {
  double lowest_A = 1e9, highest_B = -1e9;
  for (int i = 0; i < 8; ++i) {
    const Vec3 s(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    lowest_A = std::min(lowest_A, n.dot(E_WA * A.sides.cwiseProduct(s)));
    highest_B = std::max(highest_B, n.dot(E_WB * B.sides.cwiseProduct(s)));
  }
  return lowest_A - highest_B;
}

TEST(BoxContact, AStackedBoxStandsOnItsFourCorners) {
  const Cuboid small{{0.4, 0.2, 0.6}}, large{{1, 1, 1}};
  const auto contacts = contacts_of(small, Pose::Translation({0.1, 0.599, 0}), large, Pose{});
  ASSERT_EQ(contacts.size(), 4u);
  Vec3 sum = Vec3::Zero();
  for (const Contact& c : contacts) {
    EXPECT_NEAR(c.gap, -0.001, 1e-15);
    EXPECT_EQ(c.n, Vec3::UnitY());
    EXPECT_NEAR(c.x_A.y(), 0.499, 1e-15);
    EXPECT_NEAR(c.x_B.y(), 0.5, 1e-15);
    EXPECT_NEAR(std::abs(c.x_A.x() - 0.1), 0.2, 1e-15);
    EXPECT_NEAR(std::abs(c.x_A.z()), 0.3, 1e-15);
    sum += c.x_A;
  }
  EXPECT_NEAR(sum.x(), 0.4, 1e-15);
}

TEST(BoxContact, AnOverhangingBoxIsClippedToTheOutlineBelow) {
  const Cuboid box{{1, 1, 1}};
  const auto contacts = contacts_of(box, Pose::Translation({0.7, 1, 0.2}), box, Pose{});
  ASSERT_EQ(contacts.size(), 4u);
  for (const Contact& c : contacts) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    // Shared: x from 0.2 to 0.5, z from −0.3 to 0.5, up to the tie of 5e-7.
    EXPECT_NEAR(std::abs(c.x_A.x() - 0.35), 0.15, 1e-6);
    EXPECT_NEAR(std::abs(c.x_A.z() - 0.1), 0.4, 1e-6);
  }
}

TEST(BoxContact, ABoxTurnedByAnEighthTouchesAlongAnOctagon) {
  const Cuboid box{{1, 1, 1}};
  const Pose E_WA{rotation(pi / 4, Vec3::UnitY()), Vec3(0, 1.001, 0)};
  const auto contacts = contacts_of(box, E_WA, box, Pose{});
  ASSERT_EQ(contacts.size(), 8u);
  for (const Contact& c : contacts) {
    EXPECT_NEAR(c.gap, 0.001, 1e-15);
    // The octagon around the circle of radius ½, up to the tie of 5e-7.
    EXPECT_NEAR(std::hypot(c.x_A.x(), c.x_A.z()), 0.5 / std::cos(pi / 8), 1e-6);
  }
}

TEST(BoxContact, RockingKeepsTheContactsOfTheStack) {
  // Turned and tilted by up to a degree, where the axis of two edges separates best.
  const Cuboid box{{1, 1, 1}};
  for (double tilt : {0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.015}) {
    const Mat3 R = rotation(tilt, {1, 0, 0.3}) * rotation(pi / 4, Vec3::UnitY());
    const auto contacts = contacts_of(box, {R, Vec3(0, 1, 0)}, box, Pose{}, 0.05);
    EXPECT_EQ(contacts.size(), 8u) << tilt;
  }
}

TEST(BoxContact, CrossedEdgesTouchInOnePoint) {
  // Each cube stands on an edge: A's lowest along x at height 1.2 − √½, B's highest along z at √½.
  const Cuboid box{{1, 1, 1}};
  const Pose E_WB{rotation(pi / 4, Vec3::UnitZ()), Vec3(0.3, 0, 0)};
  const Pose E_WA{rotation(pi / 4, Vec3::UnitX()), Vec3(0, 1.4, 0.2)};
  const auto contacts = contacts_of(box, E_WA, box, E_WB);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 1.4 - std::sqrt(2.0), 1e-15);
  EXPECT_LE((contacts[0].n - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LE((contacts[0].x_A - Vec3(0.3, 1.4 - std::sqrt(0.5), 0.2)).norm(), 1e-15);
  EXPECT_LE((contacts[0].x_B - Vec3(0.3, std::sqrt(0.5), 0.2)).norm(), 1e-15);
}

TEST(BoxContact, ACornerTouchesAFaceInOnePoint) {
  // A cube on its corner: its diagonal is vertical.
  const Cuboid box{{1, 1, 1}}, slab{{4, 1, 4}};
  const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::Ones(), Vec3::UnitY()).toRotationMatrix();
  const auto contacts =
      contacts_of(box, {R, Vec3(0, 0.5 + std::sqrt(0.75) - 0.002, 0)}, slab, Pose{});
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.002, 1e-15);
  EXPECT_LE((contacts[0].x_B - Vec3(0, 0.5, 0)).norm(), 1e-15);
}

// For two overlapping boxes the normal is the direction of the least separating shift, judged
// by the vertices over many directions; the deepest contact of edges and of corners within the
// outline is that overlap.
TEST(BoxContact, TheNormalIsTheDirectionOfLeastOverlap) {
  Random random(21);
  int by_edges = 0, overlapping = 0;
  for (int k = 0; k < 300; ++k) {
    const Cuboid A{Vec3::Constant(1) + random.vec3(0.6)}, B{Vec3::Constant(1) + random.vec3(0.6)};
    const Pose E_WA = random.pose(0.7), E_WB = random.pose(0.7);
    const auto contacts = contacts_of(A, E_WA, B, E_WB, 0);
    double best = -1e9;
    for (int i = 0; i < 400; ++i)
      best = std::max(best, separation(A, E_WA, B, E_WB, random.unit_vector()));
    if (contacts.empty()) continue;
    ++overlapping;
    const Vec3 n = contacts[0].n;
    const double along = separation(A, E_WA, B, E_WB, n);
    EXPECT_LT(along, 0);
    const bool edges = contacts[0].feature >= 2 * 6 * 6 * 64;
    by_edges += edges ? 1 : 0;
    // No direction separates them sooner, except the 1.15° in which a face is preferred to edges.
    EXPECT_GE(along, best - (edges ? 1e-12 : 0.02 * 2));
    // No contact is deeper than the overlap, and one of edges is as deep.
    EXPECT_GE(least_gap(contacts), along - 1e-12);
    if (edges) {
      EXPECT_NEAR(least_gap(contacts), along, 1e-12);
    }
    for (const Contact& c : contacts) EXPECT_LE((c.n - n).norm(), 1e-15);
  }
  EXPECT_GT(overlapping, 150);
  EXPECT_GT(by_edges, 20);
}

TEST(BoxContact, SeparateBoxesDoNotTouch) {
  Random random(22);
  int apart = 0;
  for (int k = 0; k < 300; ++k) {
    const Cuboid A{Vec3::Constant(1) + random.vec3(0.6)}, B{Vec3::Constant(1) + random.vec3(0.6)};
    const Pose E_WA = random.pose(1.2), E_WB = random.pose(1.2);
    double best = -1e9;
    for (int i = 0; i < 400; ++i)
      best = std::max(best, separation(A, E_WA, B, E_WB, random.unit_vector()));
    if (best <= 0.01) continue;
    ++apart;
    EXPECT_TRUE(contacts_of(A, E_WA, B, E_WB, 0.01).empty());
  }
  EXPECT_GT(apart, 50);
}

// A box sliding and wobbling on another, as a solver makes it do: features live as long as the same
// corners and edges meet, so that forces can be carried over.
TEST(BoxContact, FeaturesPersistWhileABoxSlides) {
  const Cuboid box{{0.5, 0.5, 0.5}}, slab{{4, 1, 4}};
  Random random(23);
  std::set<int> first;
  for (int step = 0; step < 100; ++step) {
    const Mat3 R = rotation(1e-7 * step, random.unit_vector()) * rotation(0.3, Vec3::UnitY());
    const Pose E_WA{R, Vec3(0.01 * step - 0.5, 0.75, 0)};
    std::set<int> features;
    for (const Contact& c : contacts_of(box, E_WA, slab, Pose{})) features.insert(c.feature);
    if (step == 0) first = features;
    EXPECT_EQ(features.size(), 4u);
    EXPECT_EQ(features, first) << step;
  }
}

TEST(BoxContact, EqualBoxesStackedKeepTheirFeaturesInSpiteOfRounding) {
  const Cuboid box{{1, 1, 1}};
  Random random(24);
  std::set<int> first;
  for (int step = 0; step < 100; ++step) {
    const Pose E_WA{rotation(1e-9, random.unit_vector()), Vec3(0, 1, 0) + random.vec3(1e-8)};
    std::set<int> features;
    for (const Contact& c : contacts_of(box, E_WA, box, Pose{})) features.insert(c.feature);
    if (step == 0) first = features;
    EXPECT_EQ(features.size(), 4u);
    EXPECT_EQ(features, first) << step;
  }
}

// Clipped corners slide over the tilted face: their gap's gradient is that of the points, and nears
// the plain Jacobian as the faces become parallel.
TEST(BoxContact, ClippedCornersFollowTheirFeaturesExactly) {
  const Cuboid A{{1, 0.4, 0.8}}, B{{0.9, 0.6, 1.1}};
  for (double tilt : {0.015, 1e-3, 1e-5}) {
    const Mat3 R = rotation(tilt, {1, 0, 0.5}) * rotation(0.6, Vec3::UnitY());
    const Pose E_WA{R, Vec3(0.1, 0.5, 0.05)}, E_WB;
    const auto contacts = contacts_of(A, E_WA, B, E_WB, 1);
    ASSERT_GE(contacts.size(), 6u);
    for (const Contact& c : contacts) {
      const ContactDerivatives d = box_contact_derivatives(A, E_WA, B, E_WB, c);
      MatX claimed(10, 12);
      claimed << gap_gradient(c, d), d.dn, d.dx_A, d.dx_B;
      const auto moved = [&](const VecX& xi) -> VecX {
        const Vec6 xi_A = xi.head<6>(), xi_B = xi.tail<6>();
        for (const Contact& k : contacts_of(A, E_WA * exp(xi_A), B, E_WB * exp(xi_B), 1)) {
          if (k.feature != c.feature) continue;
          VecX out(10);
          out << k.gap, k.n, k.x_A, k.x_B;
          return out;
        }
        return VecX::Constant(10, NAN);
      };
      const DifferenceSweep sweep = check_derivative(moved, VecX::Zero(12), claimed);
      EXPECT_TRUE(sweep.confirms()) << tilt << " feature " << c.feature << "\n" << sweep.table();
      // The points slide at most a few m per unit of ξ, by the tilt of the faces out of the plane.
      EXPECT_LE((gap_gradient(c, d) - contact_jacobian(E_WA, E_WB, c)).norm(), 4 * tilt);
    }
  }
}

}  // namespace box_contact_test
}  // namespace sinew
