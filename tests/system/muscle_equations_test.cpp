#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/random_muscles.hpp"
#include "support/random_tree.hpp"

/// Muscles with mass against what defines them: the energies T(q, q̇) and V(q).

namespace sinew {
namespace muscle_equations_test {

using test::PathKind;

System with_muscle(PathKind kind, unsigned seed) {
  SystemBuilder builder(test::random_tree(seed, 3 + static_cast<int>(seed % 4)).build());
  builder.add_muscle(test::random_muscle(builder.skeleton(), kind, seed));
  return builder.build();
}

class MuscleEquations : public ::testing::TestWithParam<std::tuple<PathKind, unsigned>> {
 protected:
  MuscleEquations()
      : system_(with_muscle(std::get<0>(GetParam()), std::get<1>(GetParam()))),
        state_(test::random_state(system_.skeleton(), std::get<1>(GetParam()))),
        n_(system_.dof_count()),
        ws_(system_),
        qddot_(test::Random(std::get<1>(GetParam()) + 7).vecx(n_, 2)) {}

  double kinetic(const VecX& q, const VecX& qdot) {
    return energy(system_, {0, q, qdot}, ws_).kinetic;
  }

  System system_;
  test::RandomState state_;
  int n_;
  Workspace ws_;
  VecX qddot_;
};

TEST_P(MuscleEquations, KineticEnergyIsTheFormOfTheMassMatrix) {
  MatX M;
  mass_matrix(system_, {0, state_.q, state_.qdot}, ws_, M);
  const double T = 0.5 * state_.qdot.dot(M * state_.qdot);
  EXPECT_NEAR(kinetic(state_.q, state_.qdot), T, 1e-12 * T);  // rounding
}

TEST_P(MuscleEquations, ForcesAreThoseOfLagrange) {
  // g = d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q + T ∂L/∂q with ∂T/∂q̇ = M q̇, all by differences of M, T, V, L.
  const auto momentum_rate = [&](const VecX& q) {
    MatX M;
    mass_matrix(system_, {0, q, state_.qdot}, ws_, M);
    return VecX(M * state_.qdot);
  };
  const auto lagrangian = [&](const VecX& q) {
    const Energy e = energy(system_, {0, q, state_.qdot}, ws_);
    return VecX::Constant(1, e.kinetic - e.potential());
  };
  const SpanPath& muscle = *system_.muscles()[0]->spans();
  update_forces(system_, {0, state_.q, state_.qdot}, ws_);
  const ConstVecRef q(state_.q), qdot(state_.qdot);
  const SkeletonAt in{system_.skeleton(), 0, q, qdot, ws_.skeleton};
  muscle.update(in, nullptr, MuscleView::path, muscle_scratch(ws_).path.spans);
  muscle.update_length_gradient(muscle_scratch(ws_).path.spans);
  VecX pull = VecX::Zero(n_);
  const double tension = muscle.muscle().tension.derivatives(0)[0];
  for (size_t l = 0; l < muscle.dofs().size(); ++l)
    pull[muscle.dofs()[l]] = tension * muscle_scratch(ws_).path.spans.dL[l];

  const double h = 1e-5;
  const VecX expected = central_difference(momentum_rate, state_.q, h) * state_.qdot -
                        central_difference(lagrangian, state_.q, h).transpose() + pull;
  VecX g(n_);
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, VecX::Zero(n_), ws_, g);
  // Truncation and rounding of differences of step 1e-5, each about 1e-10, with third derivatives
  // of the smooth contact (1/ε² ≈ 200) and of short pieces.
  EXPECT_LT((g - expected).cwiseAbs().maxCoeff(), 3e-7 * (1 + expected.cwiseAbs().maxCoeff()));
}

TEST_P(MuscleEquations, LengthGradientIsTheDerivativeOfTheLength) {
  const SpanPath& muscle = *system_.muscles()[0]->spans();
  const auto evaluate_at = [&](const VecX& at) {
    update_forces(system_, {0, at, state_.qdot}, ws_);
    const ConstVecRef q(at), qdot(state_.qdot);
    muscle.update({system_.skeleton(), 0, q, qdot, ws_.skeleton}, nullptr, MuscleView::path,
                  muscle_scratch(ws_).path.spans);
    return VecX::Constant(1, muscle.length(muscle_scratch(ws_).path.spans));
  };
  evaluate_at(state_.q);
  muscle.update_length_gradient(muscle_scratch(ws_).path.spans);
  MatX claimed = MatX::Zero(1, n_);
  for (size_t l = 0; l < muscle.dofs().size(); ++l)
    claimed(0, muscle.dofs()[l]) = muscle_scratch(ws_).path.spans.dL[l];
  const DifferenceSweep sweep = check_derivative(evaluate_at, state_.q, claimed);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST_P(MuscleEquations, MassMatrixIsTheDerivativeByAccelerations) {
  VecX g0(n_), g1(n_);
  MatX M;
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, VecX::Zero(n_), ws_, g0);
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, qddot_, ws_, g1);
  mass_matrix(system_, {0, state_.q, state_.qdot}, ws_, M);
  const VecX expected = M * qddot_;
  EXPECT_LT((g1 - g0 - expected).cwiseAbs().maxCoeff(),
            1e-11 * (1 + g0.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff()));
}

TEST_P(MuscleEquations, LinearizationIsTheDerivativeOfTheResidual) {
  VecX g(n_);
  Linearization at;
  linearize(system_, {0, state_.q, state_.qdot}, qddot_, StiffnessModel::exact, ws_, g, at);
  const auto residual = [&](const VecX& q, const VecX& qdot) {
    VecX out(n_);
    inverse_dynamics(system_, {0, q, qdot}, qddot_, ws_, out);
    return out;
  };
  const DifferenceSweep by_q =
      check_derivative([&](const VecX& q) { return residual(q, state_.qdot); }, state_.q, at.dg_dq);
  EXPECT_LT(by_q.best_error, 1e-6) << by_q.table();
  const DifferenceSweep by_qdot = check_derivative(
      [&](const VecX& qdot) { return residual(state_.q, qdot); }, state_.qdot, at.dg_dqdot);
  EXPECT_LT(by_qdot.best_error, 1e-7) << by_qdot.table();
}

TEST_P(MuscleEquations, ForwardDynamicsInvertsInverseDynamics) {
  VecX qddot(n_), g(n_);
  forward_dynamics(system_, {0, state_.q, state_.qdot}, ws_, qddot);
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, qddot, ws_, g);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-9 * (1 + qddot.cwiseAbs().maxCoeff()));
}

TEST_P(MuscleEquations, TheFastWayAgreesWithWrenches) {
  // inverse_dynamics and mass_matrix go the fast way where they can, linearize by wrenches.
  VecX fast(n_), g(n_);
  MatX M;
  Linearization at;
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, qddot_, ws_, fast);
  mass_matrix(system_, {0, state_.q, state_.qdot}, ws_, M);
  linearize(system_, {0, state_.q, state_.qdot}, qddot_, StiffnessModel::exact, ws_, g, at);
  EXPECT_LT((fast - g).cwiseAbs().maxCoeff(), 1e-11 * (1 + g.cwiseAbs().maxCoeff()));
  EXPECT_LT((M - at.M).cwiseAbs().maxCoeff(), 1e-12 * at.M.cwiseAbs().maxCoeff());
}

TEST_P(MuscleEquations, WorkspaceKeepsItsTwoLaws) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const test::RandomState elsewhere = test::random_state(system_.skeleton(), 99);
  VecX first(n_), second(n_), g(n_);
  Linearization at, fresh_at;
  const auto evaluate_at = [&](const test::RandomState& state, Workspace& ws, VecX& qddot,
                               Linearization& out) {
    forward_dynamics(system_, {0, state.q, state.qdot}, ws, qddot);
    linearize(system_, {0, state.q, state.qdot}, qddot, StiffnessModel::exact, ws, g, out);
  };
  evaluate_at(elsewhere, ws_, first, at);
  {
    const sinew::test::AllocationGuard guard;
    evaluate_at(state_, ws_, first, at);
    EXPECT_EQ(guard.count(), 0);
  }
  Workspace fresh(system_);
  evaluate_at(state_, fresh, second, fresh_at);
  EXPECT_EQ(first, second);
  EXPECT_EQ(at.dg_dq, fresh_at.dg_dq);
}

INSTANTIATE_TEST_SUITE_P(RandomMuscles, MuscleEquations,
                         ::testing::Combine(::testing::ValuesIn(test::kPathKinds),
                                            ::testing::Range(1u, 9u)),
                         [](const auto& test_case) {
                           return std::string(test::name_of(std::get<0>(test_case.param))) + "_" +
                                  std::to_string(std::get<1>(test_case.param));
                         });

}  // namespace muscle_equations_test
}  // namespace sinew
