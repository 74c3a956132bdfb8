#include "sinew/constraints/contact/hertz_contact_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace hertz_contact_law_test {

const Vec3 kNormal = Vec3(1, 2, -2) / 3;
constexpr double kRadius = 0.05;

HertzMaterial rubber() {
  return {.stiffness = 1e6,
          .dissipation = 2,
          .static_friction = 0.8,
          .dynamic_friction = 0.5,
          .viscous_friction = 0.1};
}
HertzContactLaw sharp() { return combine(rubber(), rubber(), 0.1); }
HertzContactLaw smooth() {
  HertzContactLaw law = sharp();
  law.smooth = true;
  return law;
}

TEST(HertzContactLaw, HasThePublishedNumbers) {
  // k = ½ (1e6)^(2/3) = 5000; 4/3 k δ √(R k δ) with R k δ = 0.25.
  const HertzContactLaw law = sharp();
  EXPECT_NEAR(law.modulus, 5000, 1e-9);
  const HertzContactForce still = hertz_force(law, kRadius, -0.001, kNormal, Vec3::Zero());
  EXPECT_NEAR(still.normal, 10.0 / 3, 1e-12);
  EXPECT_NEAR((still.f - still.normal * kNormal).norm(), 0, 1e-12);
  // Approaching at 0.2 m/s: 1 + 1.5 · 2 · 0.2.
  const HertzContactForce moving = hertz_force(law, kRadius, -0.001, kNormal, -0.2 * kNormal);
  EXPECT_NEAR(moving.normal, 10.0 / 3 * 1.6, 1e-12);
  // Sliding at half the transition velocity: ½ (0.5 + 0.6/1.25) + 0.1 · 0.05 = 0.495; at twice it:
  // 0.5 + 0.6/5 + 0.1 · 0.2 = 0.64.
  const Vec3 t = kNormal.unitOrthogonal();
  for (const auto& [speed, mu] : {std::pair{0.05, 0.495}, {0.2, 0.64}}) {
    const HertzContactForce sliding = hertz_force(law, kRadius, -0.001, kNormal, speed * t);
    EXPECT_NEAR(sliding.f.dot(t), -mu * 10 / 3, 1e-12);
    EXPECT_NEAR(sliding.f.dot(kNormal), 10.0 / 3, 1e-12);
  }
}

// Between two pieces the law bends: its slope jumps, its value does not.
TEST(HertzContactLaw, BendsWhereItsPieceChanges) {
  const Vec3 t = kNormal.unitOrthogonal();
  const double leaving = 1 / (1.5 * rubber().dissipation);  // [m/s], at which it pulls no more
  struct Case {
    HertzContactLaw law;
    Vec3 u;
    bool kinks;
  };
  for (const Case& of :
       {Case{sharp(), 0.1 * t, true}, Case{smooth(), 0.1 * t, true},
        Case{sharp(), leaving * kNormal, true}, Case{smooth(), leaving * kNormal, false}}) {
    const auto moved = [&](double by) { return Vec3((1 + by) * of.u); };
    const auto slope = [&](double by) {
      return hertz_slopes(of.law, kRadius, -0.001, kNormal, moved(by)).df_du;
    };
    const auto piece = [&](double by) { return hertz_piece(of.law, -0.001, kNormal, moved(by)); };
    constexpr double kSlowAcross = 5e-3;  // the smooth law's speed has √ε beside it
    EXPECT_EQ(piece(-kSlowAcross) != piece(kSlowAcross), of.kinks);
    const double jump = (slope(kSlowAcross) - slope(-kSlowAcross)).norm() / slope(-0.5).norm();
    if (of.kinks)
      EXPECT_GT(jump, 0.3);
    else
      EXPECT_LT(jump, 0.1);
  }
  EXPECT_EQ(hertz_piece(sharp(), 0.001, kNormal, 5 * t), 0);
  EXPECT_NE(hertz_piece(sharp(), -0.001, kNormal, 5 * t), 0);
}

TEST(HertzContactLaw, TheSmoothOneIsTheSharpOneDeepInside) {
  // tanh(300 · 0.02) lacks 1e-5; √(δ² + ε) is 1.3 % more than δ, to the power 3/2.
  const double depth = 0.02;
  const Vec3 u = -0.3 * kNormal + 0.4 * kNormal.unitOrthogonal();
  const Vec3 a = hertz_force(sharp(), kRadius, -depth, kNormal, u).f;
  const Vec3 b = hertz_force(smooth(), kRadius, -depth, kNormal, u).f;
  EXPECT_NEAR((b - a).norm() / a.norm(), std::pow(1 + 1e-5 / (depth * depth), 0.75) - 1, 2e-4);
  HertzContactLaw finer = smooth();
  finer.smoothing = 1e-10;
  finer.depth_sharpness = 3000;
  EXPECT_NEAR((hertz_force(finer, kRadius, -depth, kNormal, u).f - a).norm() / a.norm(), 0, 1e-6);
}

TEST(HertzContactLaw, NeverPulls) {
  for (const HertzContactLaw& law : {sharp(), smooth()})
    for (double gap = -0.02; gap < 0.02; gap += 0.001)
      for (double v = -3; v < 3; v += 0.1) {
        const HertzContactForce c = hertz_force(law, kRadius, gap, kNormal, v * kNormal);
        // The smooth factor of damping undershoots by 1e-3 where it should be zero.
        EXPECT_GE(c.normal, law.smooth ? -0.01 * c.elastic : 0) << gap << ' ' << v;
      }
  EXPECT_EQ(hertz_force(sharp(), kRadius, 1e-9, kNormal, Vec3::Zero()).normal, 0);
}

TEST(HertzContactLaw, SlopesAreDerivatives) {
  const Vec3 t = kNormal.unitOrthogonal();
  for (const HertzContactLaw& law : {sharp(), smooth()})
    for (const double gap : {-0.004, -0.0007, 0.002})
      for (const Vec3& u : {Vec3(0.02 * t), Vec3(-0.1 * kNormal + 0.3 * t), Vec3(0.2 * kNormal),
                            Vec3(0.28 * kNormal - 0.05 * t)}) {
        VecX x(4);
        x << gap, u;
        const auto force = [&](const VecX& y) -> VecX {
          return hertz_force(law, kRadius, y[0], kNormal, y.tail<3>()).f;
        };
        const HertzContactSlopes slopes = hertz_slopes(law, kRadius, gap, kNormal, u);
        MatX J(3, 4);
        J << slopes.df_dgap, slopes.df_du;
        // Relative to the largest entry; differences leave 1e-8 of it.
        EXPECT_LE(check_derivative(force, x, J).best_error, 1e-6)
            << law.smooth << ' ' << gap << ' ' << u.transpose();
      }
}

TEST(HertzContactLaw, StoresWhatTheElasticForceTakes) {
  const HertzContactLaw law = sharp();
  const auto energy = [&](const VecX& x) -> VecX {
    return VecX::Constant(1, hertz_energy(law, kRadius, x[0]));
  };
  for (const double gap : {-0.003, -0.0004}) {
    const double force = hertz_force(law, kRadius, gap, kNormal, Vec3::Zero()).elastic;
    EXPECT_LE(
        check_derivative(energy, VecX::Constant(1, gap), MatX::Constant(1, 1, -force)).best_error,
        1e-7 * force);
  }
}

TEST(HertzContactLaw, TheStifferSurfaceYieldsLess) {
  HertzMaterial steel = rubber();
  steel.stiffness = 8e6;
  steel.dissipation = 0;
  const HertzContactLaw law = combine(rubber(), steel, 0.1);
  // (1e6)^(2/3) = 1e4 and (8e6)^(2/3) = 4e4: the sphere of rubber takes 4/5 of the depth.
  EXPECT_NEAR(law.share, 0.8, 1e-12);
  EXPECT_NEAR(law.modulus, 8e3, 1e-8);
  EXPECT_NEAR(law.dissipation, 1.6, 1e-12);
  EXPECT_NEAR(law.static_friction, 0.8, 1e-12);
}

TEST(HertzContactLaw, RefusesNumbersThatMakeNoSense) {
  for (double HertzContactLaw::*member :
       {&HertzContactLaw::modulus, &HertzContactLaw::transition_velocity,
        &HertzContactLaw::smoothing, &HertzContactLaw::depth_sharpness,
        &HertzContactLaw::velocity_sharpness}) {
    HertzContactLaw law = smooth();
    law.*member = 0;
    EXPECT_THROW(law.validate("contact"), Error);
  }
  HertzContactLaw law = sharp();
  law.dissipation = -1;
  EXPECT_THROW(law.validate("contact"), Error);
}

}  // namespace hertz_contact_law_test
}  // namespace sinew
