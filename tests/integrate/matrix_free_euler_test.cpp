#include <gmock/gmock.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/dynamics/momentum_kernels.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/io/scene/structures.hpp"
#include "support/allocation_guard.hpp"
#include "support/random.hpp"

namespace sinew {
namespace matrix_free_euler_test {

constexpr StructureShape kShapes[] = {StructureShape::chain, StructureShape::binary_tree,
                                      StructureShape::rope_bridge, StructureShape::umbrella};

System structure(StructureShape shape, int bodies, double stiffness = 1e4) {
  StructureOptions options;
  options.bodies = bodies;
  options.stiffness = stiffness;
  return structure_builder(make_structure(shape, options)).build();
}

/// With speeds of no symmetry: a symmetric right-hand side would need fewer iterations.
State moving(const System& system) {
  State state = system.default_state();
  state.qdot = 1e-3 * test::Random(1).vecx(system.dof_count());
  return state;
}

StepOptions with(LinearSolver solver) {
  StepOptions options = test::with(Integrator::linearly_implicit_euler);
  options.jacobian = StiffnessModel::definite;
  options.solver = solver;
  options.conjugate_gradient.tolerance = 1e-13;
  return options;
}

TEST(MatrixFreeEuler, StepsAsTheDirectSolverDoes) {
  for (const StructureShape shape : kShapes) {
    const System system = structure(shape, 60);
    Workspace ws(system);
    State direct = moving(system), free = direct;
    for (int k = 0; k < 40; ++k) {
      ASSERT_EQ(step(system, with(LinearSolver::direct), 5e-3, direct, ws).status, StepStatus::ok);
      const StepReport report =
          step(system, with(LinearSolver::conjugate_gradient), 5e-3, free, ws);
      ASSERT_EQ(report.status, StepStatus::ok);
      EXPECT_GT(report.solver_iterations, 0);
    }
    // A tolerance of 1e-13 a step, matrices of condition 1e4.
    EXPECT_LT((direct.q - free.q).lpNorm<Eigen::Infinity>(), 1e-8) << static_cast<int>(shape);
    EXPECT_LT((direct.qdot - free.qdot).lpNorm<Eigen::Infinity>(),
              1e-8 * direct.qdot.lpNorm<Eigen::Infinity>());
    EXPECT_GT((direct.q - system.default_state().q).lpNorm<Eigen::Infinity>(), 0.01);
  }
}

/// The matrix of the step of a structure at rest, and σ: the largest stiffness h² Σ k at a
/// link relative to its inertia (docs/theory/large_systems.md).
struct StepMatrix {
  StepMatrix(const System& system, double h, Workspace& ws) : added(system.skeleton()) {
    const Skeleton& skeleton = system.skeleton();
    const State state = system.default_state();
    update_forces(system, {0, state.q, state.qdot}, ws);
    update_inertias(skeleton, ws.skeleton);
    ForceDerivatives forces(skeleton);
    const ConstVecRef q(state.q), qdot(state.qdot);
    for (const auto& force : system.forces())
      force->add_derivatives({skeleton, 0, q, qdot, ws.skeleton}, StiffnessModel::definite, forces);
    added.set(forces, -h, -h * h);
    for (int i = 1; i < skeleton.link_count(); ++i) {
      const auto ii = static_cast<size_t>(i);
      if (!added.touched[ii]) continue;
      Mat6 M;
      for (int k = 0; k < 6; ++k) {
        const Vec6 e = Vec6::Unit(k);
        M.col(k) =
            inertia_times(skeleton.link(i), ws.skeleton.inertia[ii], e.head<3>(), e.tail<3>());
      }
      const Eigen::GeneralizedSelfAdjointEigenSolver<Mat6> ratio(added.link[ii], M);
      sigma = std::max(sigma, ratio.eigenvalues().maxCoeff());
    }
  }
  MatX dense(const System& system, Workspace& ws) const {
    const int n = system.dof_count();
    MatX out(n, n);
    VecX y(n);
    for (int k = 0; k < n; ++k) {
      multiply(system.skeleton(), added, RigidInertia::with, VecX::Unit(n, k), ws.skeleton, y);
      out.col(k) = y;
    }
    return 0.5 * (out + out.transpose());
  }

  ImplicitInertia added;
  double sigma = 0;
};

TEST(MatrixFreeEuler, PreconditionedSpectrumHasTheBoundsOfTheory) {
  for (const StructureShape shape : kShapes) {
    const System system = structure(shape, 40);
    Workspace ws(system);
    StepMatrix matrix(system, 5e-3, ws);
    const MatX H = matrix.dense(system, ws);
    matrix.added.pairs.clear();
    const MatX P = matrix.dense(system, ws);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> spectrum(H, P);
    EXPECT_LE(spectrum.eigenvalues().maxCoeff(), 2 + 1e-9);
    EXPECT_GE(spectrum.eigenvalues().minCoeff(), (1 - 1e-9) / (1 + matrix.sigma));
  }
}

// ½ √κ ln(2 √κ / tolerance) with κ = 2 (1 + σ), which does not know the size (Saad 2003, Eq. 6.128;
// another √κ between the norms of error and residual).
TEST(MatrixFreeEuler, TakesNoMoreIterationsThanTheoryForAnySize) {
  for (const StructureShape shape : kShapes) {
    double bound = 0;
    for (const int bodies : {20, 200, 2000}) {
      const System system = structure(shape, bodies);
      Workspace ws(system);
      const double kappa = 2 * (1 + StepMatrix(system, 5e-3, ws).sigma);
      if (bound == 0) bound = 0.5 * std::sqrt(kappa) * std::log(2e10 * std::sqrt(kappa));
      State state = moving(system);
      StepOptions options = with(LinearSolver::conjugate_gradient);
      options.conjugate_gradient.tolerance = 1e-10;
      EXPECT_LE(step(system, options, 5e-3, state, ws).solver_iterations, bound)
          << static_cast<int>(shape) << ", " << bodies;
    }
  }
}

TEST(MatrixFreeEuler, ConvergesWithOrderOne) {
  const System system = structure(StructureShape::umbrella, 9, 500);
  Workspace ws(system);
  const auto run = [&](const StepOptions& options, int steps) {
    State state = system.default_state();
    for (int k = 0; k < steps; ++k) step(system, options, 0.2 / steps, state, ws);
    return state.q;
  };
  const VecX exact = run(test::with(Integrator::rk4), 4000);
  double error[3];
  for (int i = 0; i < 3; ++i)
    error[i] = (run(with(LinearSolver::conjugate_gradient), 100 << i) - exact).norm();
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(error[i] / error[i + 1], 1.9);
    EXPECT_LT(error[i] / error[i + 1], 2.1);
  }
}

TEST(MatrixFreeEuler, StandsSpringsThatAreFarTooStiffForTheStep) {
  // h² k / m = 2.5e4. The rods only fall slightly.
  const System system = structure(StructureShape::rope_bridge, 40, 4e7);
  Workspace ws(system);
  State state = system.default_state();
  StepOptions options = with(LinearSolver::conjugate_gradient);
  options.conjugate_gradient = {.tolerance = 1e-8, .iterations = 20000};
  for (int k = 0; k < 50; ++k)
    ASSERT_EQ(step(system, options, 5e-3, state, ws).status, StepStatus::ok);
  EXPECT_LT(state.qdot.lpNorm<Eigen::Infinity>(), 100);
}

TEST(MatrixFreeEuler, LeavesTheStateAloneWhereIterationsRunOut) {
  const System system = structure(StructureShape::umbrella, 100);
  Workspace ws(system);
  State state = moving(system);
  const State before = state;
  StepOptions options = with(LinearSolver::conjugate_gradient);
  options.conjugate_gradient.iterations = 2;
  EXPECT_EQ(step(system, options, 5e-3, state, ws).status, StepStatus::solver_failed);
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.qdot, before.qdot);
  EXPECT_EQ(state.t, 0);
}

TEST(MatrixFreeEuler, AllocatesNothingAfterTheFirstStep) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = structure(StructureShape::binary_tree, 50);
  Workspace ws(system);
  State state = system.default_state();
  const StepOptions options = with(LinearSolver::conjugate_gradient);
  step(system, options, 5e-3, state, ws);
  const test::AllocationGuard guard;
  step(system, options, 5e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST(MatrixFreeEuler, RefusesConstraints) {
  StructureOptions rods;
  rods.bodies = 4;
  SystemBuilder builder = structure_builder(make_structure(StructureShape::chain, rods));
  builder.add_constraint(std::make_shared<Closure>(
      Closure::Ball("pin", BodyIndex(3), Vec3(0.1, 0, 0), kWorld, Vec3(0.4, 0, 0))));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  try {
    step(system, with(LinearSolver::conjugate_gradient), 5e-3, state, ws);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot be stepped by conjugate gradients"));
  }
}

}  // namespace matrix_free_euler_test
}  // namespace sinew
