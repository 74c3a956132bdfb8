#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/hill_examples.hpp"

namespace sinew {
namespace hill_equations_test {

using test::arm;
using test::flexor;

/// The arm with an elastic tendon, or a rigid one, held or, γ > 0, in an implicit stage.
struct Case {
  System system;
  State state;
  Workspace ws;
  double gamma = 0;
  explicit Case(bool rigid, double mass = 0)
      : system(arm(flexor(0.5, rigid), flexor(0.1), mass)),
        state(system.default_state()),
        ws(system) {
    state.qdot << 0.7, -1.3;
  }
  void begin_stage() {
    gamma = 2e-3;
    state.z.tail(2) *= 0.99;
  }
  At at(const VecX& q, const VecX& qdot) const { return {0, q, qdot, state.z, gamma, VecX()}; }
  At at() const { return at(state.q, state.qdot); }
};

TEST(HillEquations, TensionsPullWithTheGradientOfTheLength) {
  Case c(false);
  VecX g(2), without(2);
  inverse_dynamics(c.system, c.at(), VecX::Zero(2), c.ws, g);
  VecX expected = VecX::Zero(2);
  const auto length = [&](const VecX& q) {
    update_forces(c.system, c.at(q, c.state.qdot), c.ws);
    return VecX(muscle_scratch(c.ws).length);
  };
  update_forces(c.system, c.at(), c.ws);
  const std::vector<HillTension> tension = muscle_scratch(c.ws).hill;
  const VecX rate = muscle_scratch(c.ws).rate;
  const double power = c.ws.forces.power;
  const MatX dL = central_difference(length, c.state.q, 1e-6);
  for (Eigen::Index i = 0; i < 2; ++i)
    expected += tension[static_cast<size_t>(i)].tension * dL.row(i).transpose();
  const System bones = SystemBuilder(c.system.skeleton()).build();
  Workspace bones_ws(bones);
  inverse_dynamics(bones, {0, c.state.q, c.state.qdot}, VecX::Zero(2), bones_ws, without);
  EXPECT_GT(tension[0].tension, 10);
  // differences of lengths over 1e-6 times 100 N
  EXPECT_LT((g - without - expected).norm(), 1e-7);
  EXPECT_LT((dL * c.state.qdot - rate).norm(), 1e-8);
  EXPECT_NEAR(power, -tension[0].tension * rate[0] - tension[1].tension * rate[1], 1e-10);
}

TEST(HillEquations, DerivativesAreThoseOfTheResidual) {
  for (const double mass : {0.0, 0.3}) {
    Case c(false, mass);
    c.begin_stage();
    const VecX qddot{{3.0, -2.0}};
    VecX g(2);
    Linearization at;
    linearize(c.system, c.at(), qddot, StiffnessModel::exact, c.ws, g, at);
    const auto by_q = [&](const VecX& q) {
      VecX out(2);
      inverse_dynamics(c.system, c.at(q, c.state.qdot), qddot, c.ws, out);
      return out;
    };
    const auto by_rate = [&](const VecX& qdot) {
      VecX out(2);
      inverse_dynamics(c.system, c.at(c.state.q, qdot), qddot, c.ws, out);
      return out;
    };
    const auto q_sweep = check_derivative(by_q, c.state.q, at.dg_dq);
    // fibres are solved to 1e-12 of their length, tendons make 1e5 N/m of it
    EXPECT_LT(q_sweep.best_error, 1e-6) << q_sweep.table();
    EXPECT_LT(check_derivative(by_rate, c.state.qdot, at.dg_dqdot).best_error, 1e-6);
    EXPECT_GT(std::abs(at.dg_dq(1, 1)), 1);
  }
}

TEST(HillEquations, RigidTendonsHaveTheirDampingInTheDerivatives) {
  Case c(true);
  VecX g(2);
  Linearization at;
  linearize(c.system, c.at(), VecX::Zero(2), StiffnessModel::exact, c.ws, g, at);
  const auto by_rate = [&](const VecX& qdot) {
    VecX out(2);
    inverse_dynamics(c.system, c.at(c.state.q, qdot), VecX::Zero(2), c.ws, out);
    return out;
  };
  const auto sweep = check_derivative(by_rate, c.state.qdot, at.dg_dqdot);
  EXPECT_LT(sweep.best_error, 1e-7) << sweep.table();
}

TEST(HillEquations, DefaultStatesAreInEquilibrium) {
  const System system = arm(flexor(0.5), flexor(0.1));
  Workspace ws(system);
  const State state = system.default_state();
  EXPECT_EQ(state.z.head(2), VecX::Constant(2, 0.05));
  for (const auto& v : hill_values(system, state, ws)) {
    EXPECT_NEAR(v.norm_fibre_velocity, 0, 1e-6);  // 1e-8 F₀ over the damping
    EXPECT_NEAR(v.tendon_force, v.fibre_force_along_tendon, 1e-6);
  }
  State other = state;
  EXPECT_EQ(hash(other), hash(state));
  other.z[2] *= 1.01;
  EXPECT_NE(hash(other), hash(state));
  EXPECT_FALSE(other == state);
}

TEST(HillEquations, MusclesWithMistakesAreNamed) {
  HillDescription bad = flexor(0.5);
  bad.muscle.tendon_slack_length = 0;
  EXPECT_THROW(arm(bad, flexor(0.1)), Error);
  bad = flexor(0.5);
  bad.activation.activation_time = -1;
  EXPECT_THROW(arm(flexor(0.1), bad), Error);
}

}  // namespace hill_equations_test
}  // namespace sinew
