#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

// The step of linearly_implicit_euler.cpp with K and D of StiffnessModel::definite,
//     (M − h D − h² K) δ = h f + h² K q̇₀,   q̇₁ = q̇₀ + δ,
// whose matrix is symmetric. That of a skeleton is multiplied by, never formed
// (dynamics/implicit_inertia.hpp); with parts or dependent coordinates it is formed, sparse, and
// never factored as a whole: the preconditioner is its blocks on the diagonal.

namespace sinew {

struct MatrixFreeScratch {
  explicit MatrixFreeScratch(const Skeleton& skeleton)
      : forces(skeleton), matrix(skeleton), stiffness(skeleton), b(skeleton.dof_count()) {}
  ForceDerivatives forces;
  ImplicitInertia matrix, stiffness;
  ConjugateGradientScratch scratch;
  VecX b;
};

namespace {

/// With parts or dependent coordinates.
StepReport assembled_euler(const StepContext& s) {
  const System& system = s.system;
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h, t = state.t + h;
  Workspace::Newton& newton = newton_workspace(s);
  const std::span<VecX> stage = stages(s, 4);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  VecX& z = internal_stages(s, 1)[0];
  StepReport report;
  report.h = h;

  qddot.setZero();
  z = state.z;
  advance_internal(s, t, z);
  linearize(system, s.at(t, state.q, state.qdot, z, h), qddot, StiffnessModel::definite, ws, g,
            newton.at);
  report.work = report.one_sided_work = h * ws.forces.power;
  assemble_stage_matrix(system, newton.at, h, newton.matrix);
  NodeMatrix& A = newton.matrix;
  newton.at.M = 0.5 * (A.rr + A.rr.transpose());
  A.rr = newton.at.M;
  symmetrize(system.nodes(), A.nodes);
  newton.delta = -h * g;
  add_product(system.nodes(), newton.at.dg_dq, newton.at.dg_dq_nodes, -h * h, state.qdot,
              newton.delta);
  if (!A.factor_diagonal()) {
    fail(StepStatus::solver_failed, g, report);
    return report;
  }
  const ConjugateGradientReport solved =
      conjugate_gradient([&](const VecX& x, VecX& y) { A.multiply(x, y); },
                         [&](const VecX& r, VecX& y) {
                           y = r;
                           A.solve_diagonal_in_place(y);
                         },
                         newton.delta, s.options.conjugate_gradient, ws.matrix_free->scratch, qdot);
  report.solver_iterations = solved.iterations;
  if (!solved.ok()) {
    fail(StepStatus::solver_failed, g, report);
    return report;
  }
  qdot += state.qdot;
  q = state.q + h * qdot;
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  follow_path(s, t, q, qdot, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace

StepReport matrix_free_euler(const StepContext& s) {
  const Skeleton& skeleton = s.system.skeleton();
  const State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  if (!ws.matrix_free) ws.matrix_free = std::make_shared<MatrixFreeScratch>(skeleton);
  if (!s.system.has_recursive_mass() || !s.system.parts().empty()) return assembled_euler(s);
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
  // If a force makes it indefinite, the masses alone are the preconditioner.
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
