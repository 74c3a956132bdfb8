#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/integrate/newton.hpp"

// The step of linearly_implicit_euler.cpp with K and D of StiffnessModel::definite,
//     (M − h D − h² K) δ = h f + h² K q̇₀,   q̇₁ = q̇₀ + δ,
// whose matrix is symmetric; it is multiplied by, never formed (dynamics/implicit_inertia.hpp).

namespace sinew {

struct MatrixFreeScratch {
  explicit MatrixFreeScratch(const Skeleton& skeleton)
      : forces(skeleton), matrix(skeleton), stiffness(skeleton), b(skeleton.dof_count()) {}
  ForceDerivatives forces;
  ImplicitInertia matrix, stiffness;
  ConjugateGradientScratch scratch;
  VecX b;
};

StepReport matrix_free_euler(const StepContext& s) {
  const Skeleton& skeleton = s.system.skeleton();
  const State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  if (!ws.matrix_free) ws.matrix_free = std::make_shared<MatrixFreeScratch>(skeleton);
  MatrixFreeScratch& m = *ws.matrix_free;
  const std::span<VecX> stage = stages(s, 4);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  StepReport report;
  report.h = h;

  qddot.setZero();
  const At at = s.at(state.t + h, state.q, state.qdot, state.z);
  inverse_dynamics(s.system, at, qddot, ws, g);
  report.work = report.one_sided_work = h * ws.forces.power;
  m.forces.set_zero();
  add_force_derivatives(s.system, at, StiffnessModel::definite, ws, m.forces);

  m.stiffness.set(m.forces, 0, h * h);
  multiply(skeleton, m.stiffness, RigidInertia::without, state.qdot, ws.skeleton, m.b);
  m.b -= h * g;
  m.matrix.set(m.forces, -h, -h * h);
  // Where a force makes it indefinite, the masses alone are the preconditioner.
  if (!factor_implicit_inertia(skeleton, m.matrix, ws.skeleton))
    factor_mass_matrix(skeleton, ws.skeleton);
  const ConjugateGradientReport solved = conjugate_gradient(
      [&](const VecX& x, VecX& y) {
        multiply(skeleton, m.matrix, RigidInertia::with, x, ws.skeleton, y);
      },
      [&](const VecX& r, VecX& z) { solve_mass_matrix(skeleton, ws.skeleton, r, z); }, m.b,
      s.options.conjugate_gradient, m.scratch, qdot);
  report.solver_iterations = solved.iterations;
  if (!solved.ok()) {
    fail(StepStatus::solver_failed, g, report);
    return report;
  }
  qdot += state.qdot;
  q = state.q + h * qdot;
  if (!is_sane(q, qdot, report)) return report;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew
