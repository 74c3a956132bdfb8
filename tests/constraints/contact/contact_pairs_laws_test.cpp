#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "constraints/example_contacts.hpp"
#include "sinew/constraints/contact/contact_rates.hpp"
#include "sinew/constraints/contact/signed_distance.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

/// Laws for every pair of shapes that can touch.

namespace sinew {
namespace contact_pairs_laws_test {

using test::contacts_of;
using test::kEverything;
using test::least_gap;
using test::Random;
using test::shapes;

/// Runs law(A, E_WA, B, E_WB) over all pairs that touch, at random poses, apart and overlapping.
template <class Law>
void over_pairs(int poses, Law&& law) {
  Random random(11);
  for (const ContactShape& A : shapes())
    for (const ContactShape& B : shapes()) {
      if (!can_touch(A, B)) continue;
      for (int k = 0; k < poses; ++k) {
        SCOPED_TRACE(type_name(A) + " on " + type_name(B) + ", pose " + std::to_string(k));
        const Pose E_WA = random.pose(0.6), E_WB = random.pose(0.6);
        law(A, E_WA, B, E_WB);
      }
    }
}

VecX stacked(const Contact& c) {
  VecX out(10);
  out << c.gap, c.n, c.x_A, c.x_B;
  return out;
}

bool is_clipped_box_corner(const ContactShape& A, const ContactShape& B, const Contact& c) {
  return std::holds_alternative<Cuboid>(A) && std::holds_alternative<Cuboid>(B) &&
         c.feature < 2 * 6 * 6 * 64 && (c.feature % 8 >= 4 || c.feature / 8 % 8 >= 4);
}

TEST(ContactPairLaws, PointsLieAtTheGapAlongTheNormal) {
  over_pairs(20, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    for (const Contact& c : contacts_of(A, E_WA, B, E_WB)) {
      // Rounding of coordinates of about 1.
      EXPECT_NEAR(c.n.norm(), 1, 1e-14);
      EXPECT_LE((c.x_A - c.x_B - c.gap * c.n).norm(), 2e-14);
    }
  });
}

/// Distance of x_W from the surface of the shape.
double off_surface(const ContactShape& shape, const Pose& E_WS, const Vec3& x_W) {
  const Vec3 x = E_WS.inverse() * x_W;
  return std::visit(
      [&]<class S>(const S& s) {
        if constexpr (std::is_same_v<S, MeshVertices>) {
          double least = std::numeric_limits<double>::infinity();
          for (const Vec3& p : s.points) least = std::min(least, (x - p).norm());
          return least;
        } else {
          return std::abs(signed_distance(s, x).s);
        }
      },
      shape);
}

TEST(ContactPairLaws, PointsLieOnTheTwoSurfaces) {
  over_pairs(20, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    const bool boxes = std::holds_alternative<Cuboid>(A) && std::holds_alternative<Cuboid>(B);
    const bool capsules = std::holds_alternative<Capsule>(A) && std::holds_alternative<Capsule>(B);
    // Rounding; the outline of a box is widened by 1e-6 of its half side; the point of a capsule's
    // end counts with up to 1 − √(1 − 0.02²) of the radius within it.
    const double tolerance = boxes ? 1e-6 : capsules ? 1e-4 : 1e-14;
    const auto contacts = contacts_of(A, E_WA, B, E_WB);
    for (const Contact& c : contacts) {
      // On a plane both ends of a capsule count, the upper one with its own half ball.
      const bool on_plane = std::holds_alternative<Plane>(A) || std::holds_alternative<Plane>(B);
      if (on_plane && c.gap > least_gap(contacts)) continue;
      EXPECT_LE(off_surface(A, E_WA, c.x_A), tolerance);
      EXPECT_LE(off_surface(B, E_WB, c.x_B), tolerance);
    }
  });
}

TEST(ContactPairLaws, AreTheSameWhicheverShapeComesFirst) {
  over_pairs(20, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    const auto ab = contacts_of(A, E_WA, B, E_WB), ba = contacts_of(B, E_WB, A, E_WA);
    if (A.index() != B.index()) {
      ASSERT_EQ(ab.size(), ba.size());
      for (std::size_t k = 0; k < ab.size(); ++k) {
        EXPECT_EQ(stacked(ab[k]), stacked(exchanged(ba[k])));
        EXPECT_EQ(ab[k].feature, ba[k].feature);
      }
    } else if (!ab.empty() || !ba.empty()) {
      // Two of a kind may choose other parts where several tie, but not another least gap.
      EXPECT_NEAR(least_gap(ab), least_gap(ba), 1e-14);
    }
  });
}

TEST(ContactPairLaws, MoveWithTheWorldAsAWhole) {
  const Pose E = Random(5).pose(1);
  over_pairs(20, [&](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    const auto here = contacts_of(A, E_WA, B, E_WB), there = contacts_of(A, E * E_WA, B, E * E_WB);
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t k = 0; k < here.size(); ++k) {
      // Rounding of coordinates of about 2, over sines of angles between edges not below 0.1.
      EXPECT_NEAR(here[k].gap, there[k].gap, 1e-14);
      EXPECT_LE((E.R * here[k].n - there[k].n).norm(), 1e-13);
      EXPECT_LE((E * here[k].x_A - there[k].x_A).norm(), 1e-13);
      EXPECT_EQ(here[k].feature, there[k].feature);
    }
  });
}

TEST(ContactPairLaws, FeaturesTellTheContactsOfAPairApart) {
  over_pairs(20, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    std::set<int> features;
    const auto contacts = contacts_of(A, E_WA, B, E_WB);
    for (const Contact& c : contacts) features.insert(c.feature);
    EXPECT_EQ(features.size(), contacts.size());
  });
}

TEST(ContactPairLaws, TheMarginLeavesOutWhatIsFarther) {
  over_pairs(10, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    if (std::holds_alternative<Cuboid>(A) && std::holds_alternative<Cuboid>(B)) return;
    const double margin = 0.1;
    std::vector<double> expected, found;
    for (const Contact& c : contacts_of(A, E_WA, B, E_WB))
      if (c.gap <= margin) expected.push_back(c.gap);
    for (const Contact& c : contacts_of(A, E_WA, B, E_WB, margin)) found.push_back(c.gap);
    EXPECT_EQ(found, expected);
  });
}

/// The contact with that feature after the poses moved by exp(ξ); NaN where it is gone.
VecX moved(const ContactShape& A, const Pose& E_WA, const ContactShape& B, const Pose& E_WB,
           int feature, const VecX& xi) {
  const Vec6 xi_A = xi.head<6>(), xi_B = xi.tail<6>();
  for (const Contact& c : contacts_of(A, E_WA * exp(xi_A), B, E_WB * exp(xi_B)))
    if (c.feature == feature) return stacked(c);
  return VecX::Constant(10, std::numeric_limits<double>::quiet_NaN());
}

TEST(ContactPairLaws, DerivativesAgreeWithDifferences) {
  over_pairs(4, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    for (const Contact& c : contacts_of(A, E_WA, B, E_WB)) {
      const ContactDerivatives d = contact_derivatives(A, E_WA, B, E_WB, c);
      MatX claimed(10, 12);
      claimed << gap_gradient(c, d), d.dn, d.dx_A, d.dx_B;
      const DifferenceSweep sweep =
          check_derivative([&](const VecX& xi) { return moved(A, E_WA, B, E_WB, c.feature, xi); },
                           VecX::Zero(12), claimed);
      EXPECT_TRUE(sweep.confirms()) << "feature " << c.feature << "\n" << sweep.table();
    }
  });
}

// The envelope theorem: at a shortest distance the points' own motion over the surfaces does not
// change it.
TEST(ContactPairLaws, TheGapMovesAsIfThePointsWereFixedToTheirShapes) {
  over_pairs(20, [](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    for (const Contact& c : contacts_of(A, E_WA, B, E_WB)) {
      if (is_clipped_box_corner(A, B, c)) continue;
      const ContactDerivatives d = contact_derivatives(A, E_WA, B, E_WB, c);
      // Rounding, amplified by curvatures and rim turns of up to about 100 in these poses.
      const double scale = 1 + d.dx_A.cwiseAbs().maxCoeff() + d.dx_B.cwiseAbs().maxCoeff();
      EXPECT_LE((gap_gradient(c, d) - contact_jacobian(E_WA, E_WB, c)).norm(), 1e-14 * scale);
    }
  });
}

TEST(ContactPairLaws, AllocateNothingOnceThereIsRoom) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  std::vector<Contact> contacts;
  contacts.reserve(100);
  over_pairs(1, [&](const auto& A, const Pose& E_WA, const auto& B, const Pose& E_WB) {
    contacts.clear();
    sinew::test::AllocationGuard guard;
    add_contacts(A, E_WA, B, E_WB, kEverything, contacts);
    for (const Contact& c : contacts) contact_derivatives(A, E_WA, B, E_WB, c);
    EXPECT_EQ(guard.count(), 0);
  });
}

}  // namespace contact_pairs_laws_test
}  // namespace sinew
