#include "sinew/muscles/hill/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace activation_test {

/// Many small Runge–Kutta steps: the plain truth.
double integrate(const ActivationDynamics& d, double a, double u, double h) {
  const int steps = 4000;
  const double dt = h / steps;
  const auto rate = [&](double x) { return activation_rate(d, x, u).rate; };
  for (int i = 0; i < steps; ++i) {
    const double k1 = rate(a), k2 = rate(a + 0.5 * dt * k1), k3 = rate(a + 0.5 * dt * k2);
    a += dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(a + dt * k3));
  }
  return a;
}

TEST(Activation, TimeConstantsAreOpenSims) {
  const ActivationDynamics d{.activation_time = 0.015, .deactivation_time = 0.05};
  EXPECT_DOUBLE_EQ(activation_rate(d, 0.2, 0.9).rate, 0.7 / (0.015 * 0.8));
  EXPECT_DOUBLE_EQ(activation_rate(d, 0.9, 0.2).rate, -0.7 * (0.5 + 1.35) / 0.05);
  // both are held above the least activation
  EXPECT_DOUBLE_EQ(activation_rate(d, 0.5, -1).rate, activation_rate(d, 0.5, 0.01).rate);
  EXPECT_EQ(activation_rate(d, 0.01, 0).rate, 0);
}

TEST(Activation, StepsAreExactUnderConstantExcitation) {
  for (const auto kind : {ActivationDynamics::Kind::piecewise, ActivationDynamics::Kind::blended}) {
    const ActivationDynamics d{.kind = kind};
    for (const double a : {0.01, 0.3, 0.8, 1.0})
      for (const double u : {0.0, 0.01, 0.35, 1.0})
        for (const double h : {1e-4, 5e-3, 0.05})
          EXPECT_NEAR(step_activation(d, a, u, h), integrate(d, a, u, h), 1e-8)
              << a << " " << u << " " << h;
  }
}

TEST(Activation, StepsOfAnyLengthStayBetweenStartAndExcitation) {
  for (const auto kind : {ActivationDynamics::Kind::piecewise, ActivationDynamics::Kind::blended}) {
    const ActivationDynamics d{.kind = kind};
    for (const double h : {1e-9, 1e-3, 1.0, 1e3}) {
      const double up = step_activation(d, 0.1, 0.7, h), down = step_activation(d, 0.7, 0.1, h);
      EXPECT_TRUE(up >= 0.1 && up <= 0.7) << h;
      EXPECT_TRUE(down >= 0.1 && down <= 0.7) << h;
      if (h >= 1) {
        EXPECT_NEAR(up, 0.7, 1e-12);
        EXPECT_NEAR(down, 0.1, 1e-6);  // slowed by a small activation
      }
      EXPECT_EQ(step_activation(d, 0.4, 0.4, h), 0.4);
    }
  }
}

TEST(Activation, DerivativesOfTheRateAreThoseOfItsValues) {
  for (const auto kind : {ActivationDynamics::Kind::piecewise, ActivationDynamics::Kind::blended}) {
    const ActivationDynamics d{.kind = kind};
    for (const VecX& x : {VecX{{0.3, 0.6}}, VecX{{0.8, 0.35}}}) {
      const auto f = [&](const VecX& at) {
        return VecX::Constant(1, activation_rate(d, at[0], at[1]).rate);
      };
      const ActivationRate r = activation_rate(d, x[0], x[1]);
      const auto sweep = check_derivative(f, x, MatX{{r.d_activation, r.d_excitation}});
      EXPECT_TRUE(sweep.confirms()) << sweep.table();
    }
  }
}

TEST(Activation, RefusesNumbersThatMakeNoDynamics) {
  EXPECT_THROW(check_activation({.activation_time = 0}, "muscle 'a'"), Error);
  EXPECT_THROW(check_activation({.deactivation_time = -0.1}, "muscle 'a'"), Error);
  EXPECT_THROW(check_activation({.minimum = 1}, "muscle 'a'"), Error);
  EXPECT_NO_THROW(check_activation({}, "muscle 'a'"));
}

}  // namespace activation_test
}  // namespace sinew
