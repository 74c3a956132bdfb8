#include "sinew/muscles/hill/hill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/error.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace hill_test {

/// One of every kind: curves × tendon, pennate and damped in different ways.
std::vector<HillMuscle> examples() {
  std::vector<HillMuscle> all;
  for (const bool rigid : {false, true})
    for (const int kind : {0, 1, 2, 3}) {
      HillMuscle m;
      m.rigid_tendon = rigid;
      m.pennation_at_optimal = kind == 0 ? 0.35 : 0.15;
      if (kind == 1) set_millard_curves({}, 0.1, m);
      if (kind == 2) set_millard_curves({}, 0, m);
      if (kind == 3) {
        m.curves = DeGrooteFregly2016Curves{};
        m.damping = rigid ? 0 : 0.01;
      }
      check_hill_muscle(m, "muscle 'example'");
      all.push_back(m);
    }
  return all;
}

/// Everything that has derivatives: a rigid tendon keeps its length, to rounding.
template <class T>
std::vector<T> list(const HillMuscle& m, const HillValues<T>& v) {
  std::vector<T> out = {v.activation,
                        v.fibre_length,
                        v.norm_fibre_length,
                        v.pennation,
                        v.fibre_velocity,
                        v.norm_fibre_velocity,
                        v.active_force_length,
                        v.passive_force_length,
                        v.force_velocity,
                        v.active_fibre_force,
                        v.passive_fibre_force,
                        v.fibre_force,
                        v.fibre_force_along_tendon,
                        v.tendon_force,
                        v.fibre_stiffness,
                        v.actuation};
  if (!m.rigid_tendon)
    out.insert(out.end(), {v.tendon_length, v.tendon_strain, v.tendon_stiffness});
  return out;
}

TEST(Hill, FirstDerivativesOfEveryQuantityAreThoseOfItsValues) {
  for (const HillMuscle& m : examples()) {
    // contracting, lengthening, past the optimum
    for (const VecX& x : {VecX{{0.4, 0.291, -0.2, 0.0893}}, VecX{{0.63, 0.3082, 0.25, 0.1021}},
                          VecX{{0.15, 0.333, 0.1, 0.1257}}}) {
      const auto f = [&](const VecX& at) {
        const auto v = list(m, evaluate_hill(m, at[0], at[1], at[2], at[3]));
        return VecX(Eigen::Map<const VecX>(v.data(), static_cast<Eigen::Index>(v.size())));
      };
      const auto values = list(m, differentiate_hill(m, x[0], x[1], x[2], x[3]));
      const VecX plain = f(x);
      for (size_t k = 0; k < values.size(); ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        // division by dual numbers rounds differently
        EXPECT_NEAR(values[k].v, plain[i], 1e-12 * (1 + std::abs(plain[i])));
        const MatX claimed = Eigen::Map<const Eigen::RowVector4d>(values[k].d.data());
        const auto sweep = check_derivative(
            [&](const VecX& at) { return VecX::Constant(1, f(at)[i]); }, x, claimed);
        // Tendons bend within 1 % of their length: small steps, and rounding keeps 1e-6.
        EXPECT_LT(sweep.best_error, 1e-6) << "quantity " << k << " of " << m.curves.index()
                                          << (m.rigid_tendon ? " rigid" : " elastic") << "\n"
                                          << sweep.table();
      }
    }
  }
}

TEST(Hill, FibreAndTendonInSeriesCarryTheSameForce) {
  for (const HillMuscle& m : examples())
    for (const double length : {0.285, 0.301, 0.33})
      for (const double a : {0.01, 0.5, 1.0}) {
        const HillEquilibrium e = equilibrate(m, a, length, 0);
        ASSERT_EQ(e.status, HillStatus::equilibrated);
        // away from rest: the fibre moves so that forces balance
        const auto v = evaluate_hill(m, a, length, 0.1, e.fibre_length * 1.01);
        EXPECT_NEAR(v.fibre_force_along_tendon, v.tendon_force, 1e-9 * m.max_isometric_force);
        EXPECT_NEAR(v.fibre_length * std::cos(v.pennation) + v.tendon_length, length, 1e-15);
        EXPECT_NEAR(v.fibre_length * std::sin(v.pennation), m.thickness(), 1e-15);
        EXPECT_GE(v.tendon_force, m.rigid_tendon ? 0 : -0.2 * m.max_isometric_force);
      }
}

TEST(Hill, PowersOfFibreTendonAndPathAddUp) {
  for (const HillMuscle& m : examples()) {
    const double rate = 0.13;
    const auto v = evaluate_hill(m, 0.5, 0.303, rate, 0.101);
    // the fibre's velocity along the tendon is v/cos φ at constant thickness
    const double tendon_rate = m.rigid_tendon ? 0 : rate - v.fibre_velocity / std::cos(v.pennation);
    EXPECT_NEAR(v.fibre_force * v.fibre_velocity + v.tendon_force * tendon_rate,
                v.tendon_force * rate, 1e-9 * m.max_isometric_force);
  }
}

TEST(Hill, AFibreAtItsLeastLengthCarriesNoForceAndStays) {
  for (const HillMuscle& m : examples()) {
    const double shortest = m.min_fibre_length();
    const auto v = evaluate_hill(m, 0.5, 0.15, -0.1, 0.5 * shortest);
    EXPECT_TRUE(v.clamped);
    EXPECT_DOUBLE_EQ(v.fibre_length, shortest);
    EXPECT_EQ(v.fibre_velocity, 0);
    EXPECT_EQ(v.fibre_force, 0);
    EXPECT_LE(v.pennation, m.max_pennation + 1e-15);
  }
}

TEST(Hill, EquilibriumIsFoundOrSaysWhyNot) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> one(0, 1);
  int clamped = 0;
  for (const HillMuscle& m : examples()) {
    for (int i = 0; i < 500; ++i) {
      const double length = 0.6 * one(random), a = one(random), rate = 4 * one(random) - 2;
      const HillEquilibrium e = equilibrate(m, a, length, rate);
      ASSERT_NE(e.status, HillStatus::no_equilibrium);
      ASSERT_GE(e.fibre_length, m.min_fibre_length());
      clamped += e.status == HillStatus::clamped;
      if (e.status == HillStatus::equilibrated) {
        EXPECT_LT(std::abs(e.error), 1e-8);
      }
      if (e.status == HillStatus::at_rest || m.curves.index() != 0) {
        const auto v = evaluate_hill(m, a, length, rate, e.fibre_length);
        if (!m.rigid_tendon && !v.clamped) {
          // a balance at rest to 1e-8 F₀ leaves a velocity of that over the damping
          EXPECT_NEAR(v.norm_fibre_velocity, 0, 1e-4);
        }
      }
    }
    EXPECT_EQ(equilibrate(m, 0.5, std::nan(""), 0).status, HillStatus::no_equilibrium);
    EXPECT_TRUE(std::isnan(equilibrate(m, 0.5, std::nan(""), 0).fibre_length));
  }
  EXPECT_GT(clamped, 100);
}

TEST(Hill, ThelensVelocityRelationIsInvertedExactly) {
  const HillCurves curves = Thelen2003Curves{};
  for (const double a : {0.01, 0.4, 1.0})
    for (double f = -0.5; f < 1.8; f += 0.013)
      EXPECT_NEAR(force_velocity(curves, inverse_force_velocity(curves, f, a), a), f, 1e-13);
}

TEST(Hill, CurvesPassThroughWhatDefinesThem) {
  for (const HillMuscle& m : examples()) {
    // De Groote's sum of bells reaches 1 to 2 %, and its asinh to 1e-4.
    const bool fitted = m.curves.index() == 2;
    EXPECT_NEAR(active_force_length(m.curves, 1).y, 1, fitted ? 0.02 : 1e-15);
    EXPECT_NEAR(force_velocity(m.curves, 0.0, 1.0), 1, fitted ? 1e-3 : 1e-15);
    EXPECT_NEAR(tendon_force_length(m.curves, 1).y, 0, 1e-15);
    const double strain = m.curves.index() == 0 ? 0.04 : 0.049;
    EXPECT_NEAR(tendon_force_length(m.curves, 1 + strain).y, 1, 1e-12);
    EXPECT_NEAR(passive_force_length(m.curves, m.curves.index() == 1 ? 1.7 : 1.6).y, 1, 1e-12);
  }
}

TEST(Hill, RefusesNumbersThatMakeNoMuscle) {
  const auto refuses = [](auto change) {
    HillMuscle m;
    change(m);
    EXPECT_THROW(check_hill_muscle(m, "muscle 'a'"), Error);
  };
  refuses([](HillMuscle& m) { m.max_isometric_force = 0; });
  refuses([](HillMuscle& m) { m.optimal_fibre_length = -0.1; });
  refuses([](HillMuscle& m) { m.tendon_slack_length = std::nan(""); });
  refuses([](HillMuscle& m) { m.pennation_at_optimal = 1.5; });
  refuses([](HillMuscle& m) { m.damping = -1; });
  refuses([](HillMuscle& m) { m.min_activation = 0; });  // undamped
  refuses([](HillMuscle& m) { m.curves = Thelen2003Curves{.eccentric_force = 1}; });
  refuses([](HillMuscle& m) { m.curves = std::make_shared<const Millard2012Curves>(); });
  EXPECT_NO_THROW(check_hill_muscle({}, "muscle 'a'"));
}

}  // namespace hill_test
}  // namespace sinew
