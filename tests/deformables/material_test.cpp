#include "sinew/deformables/material.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace material_test {

constexpr MaterialModel kModels[] = {MaterialModel::corotated, MaterialModel::st_venant_kirchhoff,
                                     MaterialModel::neo_hookean};

Material material(MaterialModel model) {
  Material m;
  m.model = model;
  m.young = 3;  // of order one: errors are relative
  m.poisson = 0.35;
  return m;
}

Mat3 random_matrix(test::Random& random, double size) {
  Mat3 m;
  for (int k = 0; k < 9; ++k) m.data()[k] = random.uniform(-size, size);
  return m;
}

Mat3 random_rotation(test::Random& random) {
  return Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                            random.uniform(-1, 1))
      .normalized()
      .toRotationMatrix();
}

VecX flat(const Mat3& m) { return Eigen::Map<const VecX>(m.data(), 9); }
Mat3 unflat(const VecX& x) { return Eigen::Map<const Mat3>(x.data()); }

/// Deformation gradients of every kind: at rest, turned, stretched, sheared, inverted, flat, and
/// collapsed to a line or a point.
std::vector<Mat3> examples() {
  test::Random random(7);
  std::vector<Mat3> out = {Mat3::Identity(), random_rotation(random)};
  for (int k = 0; k < 4; ++k) out.push_back(Mat3::Identity() + random_matrix(random, 0.6));
  const auto stretched = [&](double a, double b, double c) {
    out.push_back(random_rotation(random) * Vec3(a, b, c).asDiagonal() *
                  random_rotation(random).transpose());
  };
  stretched(2, 1.5, 0.3);
  stretched(1.2, 0.9, -0.4);    // inverted
  stretched(-1.1, 0.9, 0.7);    // inverted along the longest axis
  stretched(-0.8, -0.9, -1.3);  // inside out
  stretched(1.1, 0.8, 0);       // flat
  return out;
}

/// Confirmed by the sweep, or exact up to rounding from some step on (at rest the third
/// derivatives vanish, and there is no slope to measure).
bool is_right(const DifferenceSweep& sweep) {
  return sweep.confirms(1e-7) || sweep.best_error < 1e-13;
}

class EveryMaterial : public ::testing::TestWithParam<MaterialModel> {};
INSTANTIATE_TEST_SUITE_P(Materials, EveryMaterial, ::testing::ValuesIn(kModels), [](const auto& p) {
  std::string name = to_string(p.param);
  std::erase(name, '-');
  return name;
});

TEST_P(EveryMaterial, StressIsTheSlopeOfTheEnergy) {
  const Material m = material(GetParam());
  for (const Mat3& F : examples()) {
    if (ElasticState(m, F).stress().norm() < 1e-13) continue;  // nothing to compare with: rest
    const auto energy = [&](const VecX& x) {
      return VecX::Constant(1, ElasticState(m, unflat(x)).energy());
    };
    const DifferenceSweep sweep =
        check_derivative(energy, flat(F), flat(ElasticState(m, F).stress()).transpose());
    EXPECT_TRUE(is_right(sweep)) << F << "\n" << sweep.table();
  }
}

TEST_P(EveryMaterial, StiffnessIsTheSlopeOfTheStress) {
  const Material m = material(GetParam());
  for (const Mat3& F : examples()) {
    MatX claimed(9, 9);
    const ElasticState state(m, F);
    // P's column c changes by stiffness(e_c, e_d) u where F's column d changes by u.
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d)
        claimed.block<3, 3>(3 * c, 3 * d) = state.stiffness(Vec3::Unit(c), Vec3::Unit(d));
    const auto stress = [&](const VecX& x) { return flat(ElasticState(m, unflat(x)).stress()); };
    const DifferenceSweep sweep = check_derivative(stress, flat(F), claimed);
    EXPECT_TRUE(is_right(sweep)) << F << "\n" << sweep.table();
    // A potential's second derivatives are symmetric.
    EXPECT_LT((claimed - claimed.transpose()).norm(), 1e-12 * claimed.norm());
  }
}

TEST_P(EveryMaterial, NeitherEnergyNorStressSeeARotation) {
  const Material m = material(GetParam());
  test::Random random(3);
  for (const Mat3& F : examples()) {
    const Mat3 R = random_rotation(random);
    const ElasticState a(m, F), b(m, R * F);
    // The inverse that Newton's iteration takes of a flat element loses a few digits.
    EXPECT_NEAR(a.energy(), b.energy(), 1e-12 * (1 + a.energy()));
    EXPECT_LT((R * a.stress() - b.stress()).norm(), 1e-11 * (1 + a.stress().norm()));
  }
}

TEST_P(EveryMaterial, IsHookesLawForSmallStrain) {
  const Material m = material(GetParam());
  test::Random random(5);
  const Mat3 A = random_matrix(random, 1);
  const Mat3 strain = 0.5 * (A + A.transpose());
  const Mat3 hooke = 2 * m.mu() * strain + m.lambda() * strain.trace() * Mat3::Identity();
  const ElasticState rest(m, Mat3::Identity());
  EXPECT_LT(rest.stress().norm(), 1e-15);
  EXPECT_NEAR(rest.energy(), 0, 1e-15);
  Mat3 change = Mat3::Zero();
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d)
      change.col(c) += rest.stiffness(Vec3::Unit(c), Vec3::Unit(d)) * A.col(d);
  EXPECT_LT((change - hooke).norm(), 1e-14 * hooke.norm());
}

TEST(Material, NeoHookeanPushesBackFromAPoint) {
  // The reason to have it: finite energy and a force outwards where others are silent or stuck.
  const Material m = material(MaterialModel::neo_hookean);
  const Mat3 squeezed = 1e-3 * Mat3::Identity();
  EXPECT_GT(ElasticState(m, squeezed).energy(), ElasticState(m, 0.1 * Mat3::Identity()).energy());
  // Inverted along one axis, the stress points back through the flat state.
  const Mat3 inverted = Vec3(1, 1, -0.3).asDiagonal();
  EXPECT_LT(ElasticState(m, inverted).stress()(2, 2), 0);
}

TEST(Material, ViscousStressIsDissipativeTurnsAlongAndHasItsDerivatives) {
  test::Random random(11);
  for (int k = 0; k < 10; ++k) {
    const Mat3 F = Mat3::Identity() + random_matrix(random, 0.7), Fdot = random_matrix(random, 2);
    EXPECT_GE(viscous_stress(2, F, Fdot).cwiseProduct(Fdot).sum(), 0);
    // Turning F at ω: Ḟ = [ω] F is not a strain rate.
    Mat3 spin = random_matrix(random, 1);
    spin = 0.5 * (spin - spin.transpose()).eval();
    EXPECT_LT(viscous_stress(2, F, spin * F).norm(), 1e-14 * F.norm());
    MatX claimed(9, 18);
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d) {
        const Vec3 e = Vec3::Unit(c), f = Vec3::Unit(d);
        claimed.block<3, 3>(3 * c, 3 * d) = viscous_stiffness(2, F, Fdot, e, f);
        claimed.block<3, 3>(3 * c, 9 + 3 * d) = viscous_damping(2, F, e, f);
      }
    VecX x(18);
    x << flat(F), flat(Fdot);
    const auto stress = [&](const VecX& y) {
      return flat(viscous_stress(2, unflat(y.head(9)), unflat(y.tail(9))));
    };
    const DifferenceSweep sweep = check_derivative(stress, x, claimed);
    EXPECT_TRUE(sweep.confirms(1e-8)) << sweep.table();
  }
}

TEST(Material, PolarRotationIsProperAndNearest) {
  for (const Mat3& F : examples()) {
    const Mat3 R = polar_rotation(F);
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-13);
    EXPECT_GT(R.determinant(), 0);
    const Mat3 S = R.transpose() * F;
    EXPECT_LT((S - S.transpose()).norm(), 1e-12);
  }
}

TEST(Material, RefusesWhatNoMaterialHas) {
  Material m;
  m.poisson = 0.5;
  EXPECT_THROW(m.validate("x"), Error);
  m.poisson = 0.3;
  m.young = 0;
  EXPECT_THROW(m.validate("x"), Error);
}

}  // namespace material_test
}  // namespace sinew
