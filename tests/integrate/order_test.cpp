#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"

namespace sinew {
namespace order_test {

struct OrderCase {
  Integrator integrator;
  int order;
  int steps;  ///< over half a second; then twice as many
};

void PrintTo(const OrderCase& c, std::ostream* out) { *out << to_string(c.integrator); }

class Order : public testing::TestWithParam<OrderCase> {};

const State& reference() {
  static const State state = test::accurate_solution(test::smooth_system(), 0.5);
  return state;
}

double error(const System& system, Integrator integrator, int steps, Workspace& ws) {
  State state = system.default_state();
  test::run(system, test::with(integrator), 0.5 / steps, steps, state, ws);
  return test::distance(state, reference());
}

TEST_P(Order, IsThatOfTheory) {
  const System system = test::smooth_system();
  Workspace ws(system);
  const OrderCase c = GetParam();
  const double coarse = error(system, c.integrator, c.steps, ws);
  const double fine = error(system, c.integrator, 2 * c.steps, ws);
  EXPECT_LT(coarse, 1e-4) << "too coarse to show an order";
  EXPECT_GT(fine, 1e-11) << "rounding would hide the order";
  EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.1) << coarse << ' ' << fine;
}

INSTANTIATE_TEST_SUITE_P(EveryFixedStepIntegrator, Order,
                         testing::Values(OrderCase{Integrator::semi_implicit_euler, 1, 12000},
                                         OrderCase{Integrator::linearly_implicit_euler, 1, 12000},
                                         OrderCase{Integrator::rk4, 4, 20},
                                         OrderCase{Integrator::bdf1, 1, 12000},
                                         OrderCase{Integrator::sdirk2, 2, 400},
                                         OrderCase{Integrator::sdirk4, 4, 20},
                                         OrderCase{Integrator::bdf2, 2, 400},
                                         OrderCase{Integrator::variational, 2, 400}),
                         [](const auto& test_case) {
                           std::string name = to_string(test_case.param.integrator);
                           std::erase(name, '-');
                           return name;
                         });

/// Energy change less the reported work: falls with the method's own order, so the work has it too.
double energy_balance(const System& system, Integrator integrator, int steps, Workspace& ws) {
  State state = system.default_state();
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  const double work = test::run(system, test::with(integrator), 0.5 / steps, steps, state, ws);
  return std::abs(energy(system, state, ws).total() - E_0 - work);
}

TEST(Work, BalancesTheEnergyToTheOrderOfTheMethod) {
  const System system = test::smooth_system();
  Workspace ws(system);
  struct {
    Integrator integrator;
    double order;
    int steps;
  } const cases[] = {{Integrator::semi_implicit_euler, 1, 500},
                     {Integrator::linearly_implicit_euler, 1, 500},
                     {Integrator::bdf1, 1, 500},
                     {Integrator::sdirk2, 2, 200},
                     {Integrator::sdirk4, 4, 10},
                     {Integrator::bdf2, 2, 200},
                     {Integrator::variational, 2, 200},
                     {Integrator::rk4, 4, 50}};
  for (const auto& c : cases) {
    const double coarse = energy_balance(system, c.integrator, c.steps, ws);
    const double fine = energy_balance(system, c.integrator, 2 * c.steps, ws);
    // At least the order, less the effect of the next term of the expansion; energies cancel
    // at some times, which only makes it look better.
    EXPECT_GT(std::log2(coarse / fine), c.order - 0.2)
        << to_string(c.integrator) << ' ' << coarse << ' ' << fine;
  }
}

}  // namespace order_test
}  // namespace sinew
