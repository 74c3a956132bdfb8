#include "sinew/strands/strand_section.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "support/random.hpp"

/// A section against what defines it: its energies as functions of the motion of its nodes.

namespace sinew {
namespace strand_section_test {

const Vec3 kGravity(0.3, -9.81, 1);

Strand rope() {
  Strand out;
  out.name = "rope";
  out.density = 0.4;
  out.law = {LinearStretch{50}, 2, false};
  return out;
}

/// Nodes one after the other along a random way, 0.1 m and more apart.
SectionMotion random_motion(int nodes, unsigned seed) {
  test::Random random(seed);
  SectionMotion out;
  Vec3 x = random.vec3(0.3);
  for (int k = 0; k < nodes; ++k) {
    out.x.push_back(x);
    out.v.push_back(random.vec3(1));
    out.a.push_back(random.vec3(3));
    x += random.uniform(0.1, 0.5) * random.unit_vector();
  }
  return out;
}

VecX stacked(const std::vector<Vec3>& list) {
  VecX out(3 * static_cast<Eigen::Index>(list.size()));
  for (size_t k = 0; k < list.size(); ++k)
    out.segment<3>(3 * static_cast<Eigen::Index>(k)) = list[k];
  return out;
}
std::vector<Vec3> listed(const VecX& x) {
  std::vector<Vec3> out;
  for (Eigen::Index k = 0; k < x.size(); k += 3) out.push_back(x.segment<3>(k));
  return out;
}

/// Pieces without surfaces between so many nodes.
std::vector<std::optional<Wrap>> straight(int nodes) {
  return std::vector<std::optional<Wrap>>(static_cast<size_t>(nodes) - 1);
}

VecX inertia(const StrandSection& section, const SectionMotion& at) {
  SectionWorkspace ws;
  SectionTerms out;
  section.update_inertia(at, kGravity, ws, out);
  return out.f;
}

TEST(StrandSection, MaterialThatTurnsAtAVirtualNodeHasTwoVelocities) {
  // A string held at the left goes over a thumb and down; the thumb moves to the right (Sueda 2010,
  // Eq. 6.12 to 6.15): nothing moves before it, the rest moves right and up.
  const StrandSection section(rope(), 0, 2, straight(3));
  const SectionMotion at{{{-1, 0, 0}, {0, 0, 0}, {0, -1, 0}},
                         {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                         {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}};
  SectionWorkspace ws;
  SectionTerms out;
  section.update_inertia(at, kGravity, ws, out);
  ASSERT_EQ(ws.plain.path.group_count(), 2);
  EXPECT_EQ(ws.plain.path.group(0).sample[1].velocity, Vec3(0, 0, 0));
  EXPECT_EQ(ws.plain.path.group(1).sample[0].velocity, Vec3(1, 1, 0));
}

TEST(StrandSection, ForcesAreThoseOfLagrange) {
  for (const int nodes : {2, 3, 4, 6})
    for (const unsigned seed : {1u, 2u, 3u}) {
      const StrandSection section(rope(), 0.1, 1.3, straight(nodes));
      const SectionMotion at = random_motion(nodes, seed);
      SectionWorkspace ws;
      const auto energies = [&](const VecX& x, const VecX& v) {
        std::pair<double, double> out{0, 0};
        section.add_energy({listed(x), listed(v), at.a}, kGravity, ws, out.first, out.second);
        return out;
      };
      const VecX x = stacked(at.x), v = stacked(at.v);
      SectionTerms terms;
      section.update_inertia(at, kGravity, ws, terms);
      EXPECT_NEAR(energies(x, v).first, 0.5 * v.dot(terms.M * v), 1e-13);  // rounding
      const auto momentum = [&](const VecX& place) {
        SectionTerms there;
        section.update_inertia({listed(place), at.v, at.a}, kGravity, ws, there);
        return VecX(there.M * v);
      };
      const auto lagrangian = [&](const VecX& place) {
        const auto [kinetic, potential] = energies(place, v);
        return VecX::Constant(1, kinetic - potential);
      };
      const double h = 1e-5;
      const VecX expected = terms.M * stacked(at.a) + central_difference(momentum, x, h) * v -
                            central_difference(lagrangian, x, h).transpose();
      // Truncation and rounding of differences of step 1e-5 and numbers up to ten.
      EXPECT_LT((terms.f - expected).lpNorm<Eigen::Infinity>(), 1e-8) << nodes << " " << seed;
    }
}

TEST(StrandSection, EveryDerivativeIsThatOfDifferences) {
  for (const bool velocity_terms : {true, false})
    for (const int nodes : {2, 3, 5}) {
      Strand strand = rope();
      strand.velocity_terms = velocity_terms;
      const StrandSection section(strand, 0, 1, straight(nodes));
      SectionMotion at = random_motion(nodes, 5);
      if (!velocity_terms)
        for (Vec3& v : at.v) v.setZero();
      SectionWorkspace ws;
      SectionTerms terms;
      section.update_inertia(at, kGravity, ws, terms);
      section.update_inertial_derivatives(at, kGravity, ws, terms);
      const auto check = [&](const char* what, std::vector<Vec3> SectionMotion::*member,
                             const MatX& claimed) {
        const DifferenceSweep sweep = check_derivative(
            [&](const VecX& value) {
              SectionMotion moved = at;
              moved.*member = listed(value);
              return inertia(section, moved);
            },
            stacked(at.*member), claimed);
        EXPECT_TRUE(sweep.confirms(1e-7)) << what << " " << velocity_terms << nodes << "\n"
                                          << sweep.table();
      };
      check("x", &SectionMotion::x, terms.K);
      if (velocity_terms) check("v", &SectionMotion::v, terms.D);
      check("a", &SectionMotion::a, terms.M);
    }
}

TEST(StrandSection, ThePullIsOneTensionTimesTheGradientOfTheLength) {
  for (const int nodes : {2, 3, 5}) {
    const StrandSection section(rope(), 0, 0.5, straight(nodes));
    const SectionMotion at = random_motion(nodes, 8);
    const auto length = [&](const VecX& x) {
      return VecX::Constant(1, section.pull({listed(x), at.v, at.a}).length);
    };
    SectionTerms terms;
    section.update_pull(at, true, false, terms);
    const SectionPull now = section.pull(at);
    const MatX gradient = central_difference(length, stacked(at.x), 1e-6);
    EXPECT_LT((terms.f - now.stretch.tension * gradient.transpose()).lpNorm<Eigen::Infinity>(),
              1e-7);  // differences of step 1e-6, tensions of a hundred
    EXPECT_NEAR(now.rate, (gradient * stacked(at.v))(0, 0), 1e-8);
    const auto pull = [&](const VecX& x, const VecX& v) {
      SectionTerms out;
      section.update_pull({listed(x), listed(v), at.a}, false, false, out);
      return out.f;
    };
    const VecX x = stacked(at.x), v = stacked(at.v);
    const auto by_x = check_derivative([&](const VecX& y) { return pull(y, v); }, x, terms.K);
    const auto by_v = check_derivative([&](const VecX& y) { return pull(x, y); }, v, terms.D);
    EXPECT_TRUE(by_x.confirms(1e-7)) << by_x.table();
    EXPECT_TRUE(by_v.confirms(1e-7)) << by_v.table();
  }
}

TEST(StrandSection, EqualStrainDividesTheMaterialByLengths) {
  const StrandSection section(rope(), 0.5, 1.5, straight(3));
  const SectionMotion at{{{0, 0, 0}, {3, 0, 0}, {3, 1, 0}}, {3, Vec3::Zero()}, {3, Vec3::Zero()}};
  std::vector<double> s;
  section.material(at, s);
  EXPECT_EQ(s, (std::vector<double>{0.5, 1.25, 1.5}));
}

TEST(StrandSection, LumpsAreAtMaterialNodes) {
  Strand strand = rope();
  strand.mass_model = StrandMass::lumped;
  const StrandSection section(strand, 0, 1, straight(3));
  const SectionMotion at{{{0, 0, 0}, {3, 0, 0}, {3, 1, 0}}, {3, Vec3::Zero()}, {3, Vec3::Zero()}};
  SectionWorkspace ws;
  SectionTerms terms;
  section.update_inertia(at, kGravity, ws, terms);
  EXPECT_EQ(terms.M(0, 0), 0.2);
  EXPECT_EQ(terms.M(3, 3), 0);
  EXPECT_EQ(terms.M(6, 6), 0.2);
}

}  // namespace strand_section_test
}  // namespace sinew
