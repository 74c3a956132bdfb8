#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace linearly_implicit_euler_test {

StepOptions with(StiffnessModel jacobian) {
  StepOptions options = test::with(Integrator::linearly_implicit_euler);
  options.jacobian = jacobian;
  return options;
}

TEST(LinearlyImplicitEuler, IsTheFormulaOf4_82) {
  // By the plain normal form (M − h D − h² K) q̇₁ = (M − h D) q̇₀ + h f with dense matrices, for both
  // kinds.
  const System system = test::smooth_system();
  Workspace ws(system);
  const double h = 0.02;
  for (const StiffnessModel kind : {StiffnessModel::exact, StiffnessModel::redmax}) {
    State state = system.default_state();
    const State before = state;
    Linearization at;
    VecX g(6);
    linearize(system, {h, state.q, state.qdot}, VecX::Zero(6), kind, ws, g, at);
    const MatX M_hD = at.M + h * at.dg_dqdot;
    const VecX qdot = (M_hD + h * h * at.dg_dq).fullPivLu().solve(M_hD * state.qdot - h * g);
    ASSERT_EQ(step(system, with(kind), h, state, ws).status, StepStatus::ok);
    EXPECT_LT((state.qdot - qdot).lpNorm<Eigen::Infinity>(), 1e-13);  // roundings of size-1 numbers
    EXPECT_LT((state.q - before.q - h * qdot).lpNorm<Eigen::Infinity>(), 1e-14);
  }
}

TEST(LinearlyImplicitEuler, TakesTheForcesOfTheNewTime) {
  // A free mass and a force that begins at h: the step to h has it already, as in the reference.
  const auto value = [](double x) { return VecX(VecX::Constant(1, x)); };
  SystemBuilder builder(test::slider(2, 0, 0));
  builder.add_force(std::make_shared<JointTorque>(
      "push", DofIndex(0),
      TimeTable::FromRows({0, 0.1}, {value(0), value(4)}, TimeTable::Interpolation::step, "push")));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  step(system, with(StiffnessModel::exact), 0.1, state, ws);
  EXPECT_DOUBLE_EQ(state.qdot[0], 0.1 * 4 / 2);
  EXPECT_DOUBLE_EQ(state.q[0], 0.1 * state.qdot[0]);
}

TEST(LinearlyImplicitEuler, KindsAgreeToFirstOrderAndDifferBeyond) {
  const System system = test::smooth_system();
  Workspace ws(system);
  const auto gap = [&](double h) {
    State full = system.default_state(), reference = full;
    step(system, with(StiffnessModel::exact), h, full, ws);
    step(system, with(StiffnessModel::redmax), h, reference, ws);
    return (full.qdot - reference.qdot).norm();
  };
  // The difference of the kinds is multiplied by h D (q̇₁ − q̇₀) ~ h² and h² K q̇.
  EXPECT_GT(gap(0.02), 1e-6);
  EXPECT_NEAR(std::log2(gap(0.002) / gap(0.001)), 2, 0.1);
}

}  // namespace linearly_implicit_euler_test
}  // namespace sinew
