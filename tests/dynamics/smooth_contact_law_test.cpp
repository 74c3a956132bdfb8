#include "sinew/dynamics/smooth_contact_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

/// The law of one contact point: its bounds and its derivatives.

namespace sinew {
namespace smooth_contact_law_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Vec3 kUp = Vec3::UnitY();

/// Depths from the first touch through the onset to far below, in units of the onset.
const double kDepths[] = {1e-6, 0.1, 0.5, 0.9, 1.0, 3.0, 50.0};

TEST(SmoothContactLaw, IsZeroExactlyWhereNothingOverlaps) {
  const SmoothContactLaw law;
  for (const double gap : {0.0, 1e-9, 1.0}) {
    const SmoothContactForce force = contact_force(law, gap, kUp, Vec3(3, -20, 1));
    EXPECT_EQ(force.f, Vec3::Zero());
    EXPECT_EQ(force.normal, 0);
    EXPECT_EQ(force.power, 0);
    EXPECT_EQ(contact_energy(law, gap), 0);
    EXPECT_EQ(contact_slopes(law, gap, kUp, Vec3(3, -20, 1)).df_du, Mat3::Zero());
  }
}

TEST(SmoothContactLaw, HasTheStatedStiffnessBeyondTheOnset) {
  const SmoothContactLaw law;
  for (const double depth : {1.0, 2.0, 10.0}) {
    const SmoothContactForce force = contact_force(law, -depth * law.onset, kUp, Vec3::Zero());
    EXPECT_DOUBLE_EQ(force.normal, law.stiffness * (depth - 0.5) * law.onset);
    EXPECT_EQ(force.f, Vec3(0, force.normal, 0)) << "at rest there is no friction";
  }
}

TEST(SmoothContactLaw, NeverPullsAndNeverGivesPower) {
  test::Random random(1);
  for (const double c : {0.0, 0.5, 20.0})
    for (const double depth : kDepths)
      for (int k = 0; k < 200; ++k) {
        SmoothContactLaw law;
        law.dissipation = c;
        const Vec3 n = random.unit_vector();
        const Vec3 u = std::pow(10, random.uniform(-6, 2)) * random.unit_vector();
        const SmoothContactForce force = contact_force(law, -depth * law.onset, n, u);
        EXPECT_GE(force.normal, 0);
        EXPECT_LE(force.power, 0);
        // Power and force are those of the same law: f · u less the power of the elastic force.
        const double F = contact_force(law, -depth * law.onset, n, Vec3::Zero()).normal;
        EXPECT_NEAR(force.power, force.f.dot(u) - F * n.dot(u),
                    1e-13 * F * (1 + c) * u.norm() * (1 + u.norm()));
      }
}

TEST(SmoothContactLaw, FrictionOpposesSlidingAndStaysInItsCone) {
  test::Random random(2);
  SmoothContactLaw law;
  law.dissipation = 0.5;
  for (int k = 0; k < 200; ++k) {
    const Vec3 n = random.unit_vector();
    const Vec3 u = std::pow(10, random.uniform(-5, 0)) * random.unit_vector();  // none lets go
    const Vec3 u_t = u - n.dot(u) * n;
    const SmoothContactForce force = contact_force(law, -2e-3, n, u);
    const Vec3 f_t = force.f - n.dot(force.f) * n;
    const double expected =
        law.friction * force.normal * u_t.norm() / std::hypot(u_t.norm(), law.creep_velocity);
    EXPECT_LT(f_t.dot(u_t), 0);
    EXPECT_LT((f_t + expected * u_t.normalized()).norm(), 1e-13 * force.normal);
    EXPECT_LT(f_t.norm(), law.friction * force.normal);
  }
}

TEST(SmoothContactLaw, DampingVanishesAtRestAndIsLinearAroundIt) {
  SmoothContactLaw law;
  law.dissipation = 0.5;
  const double F = contact_force(law, -2e-3, kUp, Vec3::Zero()).normal;
  for (const double rate : {-10.0, -0.1, 0.1, 0.9})  // down to ġ = 1/2c = 1 m/s it is 1 − c ġ
    EXPECT_DOUBLE_EQ(contact_force(law, -2e-3, kUp, rate * kUp).normal,
                     F * (1 - law.dissipation * rate));
  // Torn off faster than 3/2c it lets go.
  EXPECT_EQ(contact_force(law, -2e-3, kUp, 3 * kUp).normal, 0);
}

TEST(SmoothContactLaw, EnergyIsTheIntegralOfTheElasticForce) {
  const SmoothContactLaw law;
  const double d = law.onset;
  // In units of the onset: the sweep's steps are of order one.
  for (const double depth : kDepths) {
    const auto V = [&](const VecX& x) {
      return VecX(VecX::Constant(1, contact_energy(law, -x[0] * d)));
    };
    const double F = contact_force(law, -depth * d, kUp, Vec3::Zero()).normal;
    const auto sweep = check_derivative(V, VecX::Constant(1, depth), MatX::Constant(1, 1, F * d));
    if (depth >= 0.1) {
      EXPECT_TRUE(sweep.confirms()) << depth << "\n" << sweep.table();
    } else {
      EXPECT_LT(F, 1e-20 * law.stiffness * d);  // ∝ depth⁵
    }
  }
}

TEST(SmoothContactLaw, SlopesAgreeWithDifferences) {
  test::Random random(3);
  const SmoothContactLaw law;
  const double d = law.onset;
  for (const double depth : {0.3, 0.8, 4.0})
    for (const double speed : {1e-4, 1e-2, 1.0, 4.0})
      for (int k = 0; k < 4; ++k) {
        const Vec3 n = random.unit_vector(), u = speed * random.unit_vector();
        // Gap in units of the onset; velocities in units of the creep velocity, by which friction
        // turns, or of the speed.
        const double unit = std::max(law.creep_velocity, 0.1 * speed);
        const auto f = [&](const VecX& x) {
          return VecX(contact_force(law, -depth * d + d * x[0], n, u + unit * x.tail<3>()).f);
        };
        const SmoothContactSlopes slopes = contact_slopes(law, -depth * d, n, u);
        MatX claimed(3, 4);
        claimed << d * slopes.df_dgap, unit * slopes.df_du;
        const auto sweep = check_derivative(f, VecX::Zero(4), claimed);
        EXPECT_TRUE(sweep.confirms()) << "depth " << depth << ", speed " << speed << "\n"
                                      << sweep.table();
      }
}

TEST(SmoothContactLaw, NamesTheParameterThatMakesNoSense) {
  const auto complaint = [](double SmoothContactLaw::*parameter, double value) -> std::string {
    SmoothContactLaw law;
    law.*parameter = value;
    try {
      law.validate("f");
    } catch (const Error& error) {
      EXPECT_EQ(error.element(), "force 'f'");
      return error.problem();
    }
    return "no error";
  };
  using testing::HasSubstr;
  for (const double bad : {-1.0, kNaN, kInfinity}) {
    EXPECT_THAT(complaint(&SmoothContactLaw::stiffness, bad), HasSubstr("stiffness is"));
    EXPECT_THAT(complaint(&SmoothContactLaw::onset, bad), HasSubstr("onset is"));
    EXPECT_THAT(complaint(&SmoothContactLaw::dissipation, bad), HasSubstr("dissipation is"));
    EXPECT_THAT(complaint(&SmoothContactLaw::friction, bad), HasSubstr("friction is"));
    EXPECT_THAT(complaint(&SmoothContactLaw::creep_velocity, bad), HasSubstr("creep velocity is"));
  }
  EXPECT_THAT(complaint(&SmoothContactLaw::onset, 0), HasSubstr("onset is"));
  EXPECT_EQ(complaint(&SmoothContactLaw::friction, 0), "no error");
  EXPECT_EQ(complaint(&SmoothContactLaw::dissipation, 0), "no error");
}

}  // namespace smooth_contact_law_test
}  // namespace sinew
