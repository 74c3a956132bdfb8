#include <gtest/gtest.h>

#include "sinew/constraints/rows/closure.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/constraint_examples.hpp"
#include "support/finite_difference.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace rows_test {

/// Laws of every constraint: what its rows claim about their own derivatives, on random trees.
class Rows : public testing::TestWithParam<unsigned> {
 protected:
  Rows()
      : skeleton_(
            test::random_tree(GetParam() + 100, 2 + static_cast<int>(GetParam()) % 6).build()),
        random_(GetParam()),
        state_(test::random_state(skeleton_, GetParam())),
        ws_(skeleton_) {}

  void SetUp() override {
    ASSERT_GE(skeleton_.link_count(), 2);  // for every seed below
  }

  ConstraintRows rows_at(const Constraint& constraint, double t, const VecX& q, const VecX& qdot) {
    update_kinematics(skeleton_, q, qdot, ws_);
    ConstraintRows rows(skeleton_, constraint.rows());
    const ConstVecRef q_ref(q), qdot_ref(qdot);
    const SkeletonAt in{skeleton_, t, q_ref, qdot_ref, ws_};
    update_constraint_rows({std::shared_ptr<const Constraint>(&constraint, [](auto*) {})}, in,
                           rows);
    return rows;
  }
  VecX rate_at(const Constraint& constraint, double t, const VecX& q, const VecX& qdot) {
    const ConstraintRows rows = rows_at(constraint, t, q, qdot);
    return rows.Gt().transpose() * qdot + rows.rate;
  }

  Skeleton skeleton_;
  test::Random random_;
  test::RandomState state_;
  SkeletonWorkspace ws_;
  const double t_ = 0.3;
};

TEST_P(Rows, JacobianIsTheDerivativeOfTheValue) {
  for (const test::ConstraintExample& example : test::constraint_examples(skeleton_, random_)) {
    const Constraint& constraint = *example.constraint;
    if (constraint.level() != ConstraintLevel::position) continue;
    const ConstraintRows rows = rows_at(constraint, t_, state_.q, state_.qdot);
    const auto by_q = check_derivative(
        [&](const VecX& q) { return rows_at(constraint, t_, q, state_.qdot).value; }, state_.q,
        rows.Gt().transpose());
    EXPECT_TRUE(by_q.confirms()) << example.name << '\n' << by_q.table();
    const auto by_t = check_derivative(
        [&](const VecX& t) { return rows_at(constraint, t[0], state_.q, state_.qdot).value; },
        VecX::Constant(1, t_), rows.rate);
    EXPECT_TRUE(by_t.confirms()) << example.name << '\n' << by_t.table();
  }
}

TEST_P(Rows, BiasIsTheRateOfTheRatesWithoutAccelerations) {
  for (const test::ConstraintExample& example : test::constraint_examples(skeleton_, random_)) {
    const Constraint& constraint = *example.constraint;
    const ConstraintRows rows = rows_at(constraint, t_, state_.q, state_.qdot);
    // Acceleration rows: G q̈ + bias is the rate of G q̇ less the target, minus which is in `rate`.
    const bool acceleration = constraint.level() == ConstraintLevel::acceleration;
    const auto along = [&](const VecX& s) {
      const VecX q = state_.q + s[0] * state_.qdot;
      if (!acceleration) return rate_at(constraint, t_ + s[0], q, state_.qdot);
      return VecX(rows_at(constraint, t_, q, state_.qdot).Gt().transpose() * state_.qdot);
    };
    const VecX claimed = acceleration ? VecX(rows.bias - rows.rate) : rows.bias;
    const auto sweep = check_derivative(along, VecX::Zero(1), claimed);
    EXPECT_TRUE(sweep.confirms()) << example.name << '\n' << sweep.table();
  }
}

TEST_P(Rows, ReactionsDifferentiateAndRatesDoToo) {
  const int n = skeleton_.dof_count();
  const Vec3 gravity(0.3, -9, 1);
  const VecX qddot = random_.vecx(n, 3);
  for (const test::ConstraintExample& example : test::constraint_examples(skeleton_, random_)) {
    const Constraint& constraint = *example.constraint;
    const VecX lambda = random_.vecx(constraint.rows(), 5);
    const ConstraintList list = {example.constraint};
    AppliedForces forces(skeleton_);
    ConstraintRows rows(skeleton_, constraint.rows());
    const auto residual = [&](const VecX& q) {
      update_kinematics(skeleton_, q, state_.qdot, ws_);
      update_inertias(skeleton_, ws_);
      const ConstVecRef q_ref(q), qdot_ref(state_.qdot);
      const SkeletonAt in{skeleton_, t_, q_ref, qdot_ref, ws_};
      update_constraint_rows(list, in, rows);
      forces.set_zero();
      add_reactions(list, in.qdot, rows, view(lambda), forces);
      VecX g(n);
      inverse_dynamics(skeleton_, gravity, forces, qddot, ws_, g);
      return g;
    };
    const VecX g = residual(state_.q);

    // The reactions are −Gᵀλ.
    forces.set_zero();
    VecX without(n);
    inverse_dynamics(skeleton_, gravity, forces, qddot, ws_, without);
    const VecX reaction = without - g;
    EXPECT_LT((reaction + rows.Gt() * lambda).norm(), 1e-12 * (1 + without.norm())) << example.name;

    residual(state_.q);
    DerivativeWorkspace dws(skeleton_);
    ForceDerivatives derivatives(skeleton_);
    MatX M(n, n), dg_dq(n, n), dg_dqdot(n, n), dr_dq(constraint.rows(), n);
    inverse_dynamics_derivatives(skeleton_, view(state_.q), view(state_.qdot), view(qddot), ws_,
                                 dws, M, dg_dq, dg_dqdot);
    const ConstVecRef q_ref(state_.q), qdot_ref(state_.qdot);
    const SkeletonAt in{skeleton_, t_, q_ref, qdot_ref, ws_};
    constraint.add_reaction_derivatives(in, {lambda.data(), static_cast<size_t>(lambda.size())},
                                        derivatives);
    subtract_force_derivatives(skeleton_, ws_, derivatives, StiffnessModel::exact, dws, dg_dq,
                               dg_dqdot);
    row_rate_derivatives(skeleton_, ws_, dws, rows, dr_dq);
    // Rates that depend on no coordinate leave roundings: they are zeros to compare with.
    dr_dq = dr_dq.unaryExpr([](double x) { return std::abs(x) < 1e-13 ? 0 : x; }).eval();
    const auto by_q = check_derivative(residual, state_.q, dg_dq);
    EXPECT_TRUE(by_q.confirms()) << example.name << '\n' << by_q.table();

    const auto rates = check_derivative(
        [&](const VecX& q) { return rate_at(constraint, t_, q, state_.qdot); }, state_.q, dr_dq);
    EXPECT_TRUE(rates.confirms()) << example.name << '\n' << rates.table();
  }
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Rows, testing::Range(0u, 12u));

}  // namespace rows_test
}  // namespace sinew
