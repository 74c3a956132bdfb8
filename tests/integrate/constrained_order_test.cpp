#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace constrained_order_test {

using test::shared;
using test::with;

struct OrderCase {
  Integrator integrator;
  int order;
  int steps;  ///< over half a second; then twice as many
};

void PrintTo(const OrderCase& c, std::ostream* out) { *out << to_string(c.integrator); }

class ConstrainedOrder : public testing::TestWithParam<OrderCase> {};

/// A spatial loop, and a coordinate driven at position level: scleronomic and rheonomic rows.
const System& loop() {
  static const System system = test::smooth_loop(
      shared(PrescribedCoordinate("knee", DofIndex(2), ConstraintLevel::position,
                                  TimeFunction(ScalarFunction(SineFunction{0.05, 3, 0, 0.7})))));
  return system;
}

/// The loop with rows on velocity level, body and world axes: nonholonomic.
const System& guided() {
  static const System system = [] {
    const System tree = test::smooth_system();
    SystemBuilder builder(tree.skeleton());
    builder.set_gravity(tree.gravity());
    for (const auto& force : tree.forces()) builder.add_force(force);
    const TimeFunction wave = ScalarFunction(SineFunction{0.3, 2, 0.1, 0});
    builder.add_constraint(shared(
        PrescribedTwist("foot", BodyIndex(2), Vec3(0, -0.1, 0), ConstraintLevel::velocity,
                        {PrescribedTwist::BodyRow(3, wave), PrescribedTwist::WorldRow(5, 0.1)})));
    builder.add_constraint(
        shared(PrescribedCoordinate("hip", DofIndex(0), ConstraintLevel::acceleration,
                                    TimeFunction(ScalarFunction(SineFunction{1, 4, 0.5, 0})))));
    return builder.build();
  }();
  return system;
}

double error(const System& system, const State& reference, Integrator integrator, int steps) {
  Workspace ws(system);
  State state = system.default_state();
  test::run(system, with(integrator), 0.5 / steps, steps, state, ws);
  return test::distance(state, reference);
}

void check_order(const System& system, const State& reference, const OrderCase& c) {
  const double coarse = error(system, reference, c.integrator, c.steps);
  const double fine = error(system, reference, c.integrator, 2 * c.steps);
  EXPECT_LT(coarse, 1e-3) << "too coarse to show an order";
  EXPECT_GT(fine, 1e-11) << "rounding would hide the order";
  EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.15) << coarse << ' ' << fine;
}

TEST_P(ConstrainedOrder, IsThatOfTheMethodInALoop) {
  static const State reference = test::accurate_solution(loop(), 0.5);
  check_order(loop(), reference, GetParam());
}

TEST_P(ConstrainedOrder, IsThatOfTheMethodUnderGivenVelocitiesAndAccelerations) {
  static const State reference = test::accurate_solution(guided(), 0.5);
  check_order(guided(), reference, GetParam());
}

INSTANTIATE_TEST_SUITE_P(EveryFixedStepIntegrator, ConstrainedOrder,
                         testing::Values(OrderCase{Integrator::semi_implicit_euler, 1, 2000},
                                         OrderCase{Integrator::linearly_implicit_euler, 1, 2000},
                                         OrderCase{Integrator::rk4, 4, 50},
                                         OrderCase{Integrator::bdf1, 1, 2000},
                                         OrderCase{Integrator::sdirk2, 2, 200},
                                         OrderCase{Integrator::sdirk4, 4, 100},
                                         OrderCase{Integrator::bdf2, 2, 400},
                                         OrderCase{Integrator::variational, 2, 200}),
                         [](const auto& c) { return test::test_name(c.param.integrator); });

/// Largest |E − E₀ − W| on the way.
double energy_error(const System& system, Integrator integrator, int steps, double until) {
  Workspace ws(system);
  State state = system.default_state();
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  double work = 0, worst = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = step(system, with(integrator), until / steps, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok);
    work += report.work;
    const double E = energy(system, state, ws).total();
    worst = std::max(worst, std::abs(E - E_0 - work));
  }
  return worst;
}

TEST(ConstrainedEnergy, ErrorFallsWithTheOrderOfTheMethod) {
  // Loops without friction, and the work of what drives them.
  const test::FourBar bar;
  SystemBuilder free_bar = bar.builder(0.7), driven_bar = bar.builder(0.7);
  driven_bar.add_constraint(
      shared(PrescribedCoordinate("motor", DofIndex(0), ConstraintLevel::position,
                                  TimeFunction(ScalarFunction(SineFunction{0.8, 2, 0, 0.7})))));
  const struct {
    Integrator integrator;
    double order;
    int steps;
  } cases[] = {{Integrator::semi_implicit_euler, 1, 1000},
               {Integrator::linearly_implicit_euler, 1, 1000},
               {Integrator::bdf1, 1, 1000},
               {Integrator::sdirk2, 2, 400},
               {Integrator::bdf2, 2, 400},
               {Integrator::variational, 2, 400},
               {Integrator::rk4, 4, 100},
               {Integrator::sdirk4, 3.75, 200}};  // its next term is large
  for (const System& system : {free_bar.build(), driven_bar.build(), loop(), guided()})
    for (const auto& c : cases) {
      const double coarse = energy_error(system, c.integrator, c.steps, 1);
      const double fine = energy_error(system, c.integrator, 2 * c.steps, 1);
      // At least the order, less the effect of the next term of the expansion; or rounding.
      EXPECT_TRUE(std::log2(coarse / fine) > c.order - 0.25 || fine < 1e-10)
          << to_string(c.integrator) << ' ' << coarse << ' ' << fine << ' '
          << system.constraints().back()->name();
    }
}

TEST(ConstrainedEnergy, StaysBoundedUnderTheVariationalRule) {
  const System system = test::FourBar{}.builder(0.7).build();
  const double short_run = energy_error(system, Integrator::variational, 1000, 5);
  const double long_run = energy_error(system, Integrator::variational, 12000, 60);
  // A drift would have grown twelvefold; what remains is that the longer run meets worse moments.
  EXPECT_LT(long_run, 3 * short_run);
}

}  // namespace constrained_order_test
}  // namespace sinew
