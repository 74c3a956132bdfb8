#pragma once

#include <gtest/gtest.h>

#include "sinew/system/equations.hpp"
#include "support/dense_linearization.hpp"
#include "support/finite_difference.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {

/// Coordinates, speeds and accelerations.
struct MotionSample {
  VecX q, qdot, qddot;
};

/// A random motion near the start of a system: coordinates up to `spread` away from it. Those on
/// shapes stay between their knots over the default.
inline MotionSample near_start(const System& system, unsigned seed, double spread = 0.02) {
  Random random(seed);
  const State state = system.default_state();
  const int N = system.dof_count();
  return {state.q + random.vecx(N, spread), random.vecx(N, 0.6), random.vecx(N, 2)};
}

/// Compares M, ∂g/∂q and ∂g/∂q̇ of g = M q̈ − f with central differences.
inline void check_every_derivative(const System& system, const MotionSample& at,
                                   const std::string& what) {
  Workspace ws(system);
  VecX g(system.dof_count());
  Linearization lin;
  linearize(system, {0, at.q, at.qdot}, at.qddot, StiffnessModel::exact, ws, g, lin);
  const DenseLinearization dense(system, lin);
  const auto residual = [&](const VecX& q, const VecX& qdot, const VecX& qddot) {
    VecX out(system.dof_count());
    inverse_dynamics(system, {0, q, qdot}, qddot, ws, out);
    return out;
  };
  const auto check = [&](const char* by, const VectorFunction& f, const VecX& x,
                         const MatX& claimed) {
    const DifferenceSweep sweep = check_derivative(f, x, claimed);
    EXPECT_TRUE(sweep.confirms(1e-6)) << what << " by " << by << "\n" << sweep.table();
  };
  check(
      "q", [&](const VecX& x) { return residual(x, at.qdot, at.qddot); }, at.q, dense.dg_dq);
  check(
      "qdot", [&](const VecX& x) { return residual(at.q, x, at.qddot); }, at.qdot, dense.dg_dqdot);
  check(
      "qddot", [&](const VecX& x) { return residual(at.q, at.qdot, x); }, at.qddot, dense.M);
}

}  // namespace sinew::test
