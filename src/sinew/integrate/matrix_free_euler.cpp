#include <algorithm>

#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/system/element_sums.hpp"

// The step of linearly_implicit_euler.cpp with K and D of StiffnessModel::definite,
//     (M − h D − h² K) δ = h f + h² K q̇₀,   q̇₁ = q̇₀ + δ,
// whose matrix is symmetric. That of a skeleton is multiplied by, never formed
// (dynamics/implicit_inertia.hpp), parts that are forces between links included; with other parts
// or dependent coordinates it is formed, sparse, and never factored as a whole: the preconditioner
// is its blocks on the diagonal.

namespace sinew {

struct MatrixFreeScratch {
  explicit MatrixFreeScratch(const Skeleton& skeleton)
      : forces(skeleton), matrix(skeleton), stiffness(skeleton), b(skeleton.dof_count()) {}
  ForceDerivatives forces;
  ImplicitInertia matrix, stiffness;
  ConjugateGradientScratch scratch;
  VecX b;
  // what parts that act on links only leave alone
  MatX no_matrix;
  NodeEntries no_entries;
};

namespace {

/// One step as far as both ways share it.
struct Solve {
  const StepContext& s;
  At at;         ///< the old state with the forces of the new time
  VecX& qddot;   ///< zero
  VecX& g;       ///< out: the residual there
  VecX& delta;   ///< out: δ
  double power;  ///< out, of forces without potential [W]
};

/// With other parts or dependent coordinates.
ConjugateGradientReport solve_assembled(Solve& x) {
  const System& system = x.s.system;
  Workspace& ws = x.s.ws;
  const double h = x.s.h;
  Workspace::Newton& newton = newton_workspace(x.s);
  linearize(system, x.at, x.qddot, StiffnessModel::definite, ws, x.g, newton.at);
  x.power = ws.forces.power;
  assemble_stage_matrix(system, newton.at, h, newton.matrix);
  NodeMatrix& A = newton.matrix;
  newton.at.M = 0.5 * (A.rr + A.rr.transpose());
  A.rr = newton.at.M;
  symmetrize(system.nodes(), A.nodes);
  newton.delta = -h * x.g;
  add_product(system.nodes(), newton.at.dg_dq, newton.at.dg_dq_nodes, -h * h, x.at.qdot,
              newton.delta);
  if (!A.factor_diagonal()) return {ConjugateGradientReport::Status::not_positive_definite};
  return conjugate_gradient([&](const VecX& v, VecX& y) { A.multiply(v, y); },
                            [&](const VecX& r, VecX& y) {
                              y = r;
                              A.solve_diagonal_in_place(y);
                            },
                            newton.delta, x.s.options.conjugate_gradient, ws.matrix_free->scratch,
                            x.delta);
}

/// Derivatives of the forces of all elements, which are forces between links.
void add_link_derivatives(const Solve& x, MatrixFreeScratch& m) {
  const System& system = x.s.system;
  Workspace& ws = x.s.ws;
  add_force_derivatives(system, x.at, StiffnessModel::definite, ws, m.forces);
  if (system.parts().empty()) return;
  PartDerivatives out{system.masses(), system.nodes(), m.no_matrix,  m.no_matrix, m.no_matrix,
                      m.no_entries,    m.no_entries,   m.no_entries, m.forces};
  for_each_part(system, x.at, last_controls(x.at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_force_derivatives(in, x.qddot.data(), StiffnessModel::definite,
                                             linearizer(system, ws).skeleton, scratch, out);
                });
}

/// Without.
ConjugateGradientReport solve_recursively(Solve& x) {
  const Skeleton& skeleton = x.s.system.skeleton();
  Workspace& ws = x.s.ws;
  MatrixFreeScratch& m = *ws.matrix_free;
  const double h = x.s.h;
  inverse_dynamics(x.s.system, x.at, x.qddot, ws, x.g);
  x.power = ws.forces.power;
  m.forces.set_zero();
  add_link_derivatives(x, m);
  m.stiffness.set(m.forces, 0, h * h);
  multiply(skeleton, m.stiffness, RigidInertia::without, x.s.state.qdot, ws.skeleton, m.b);
  m.b -= h * x.g;
  m.matrix.set(m.forces, -h, -h * h);
  // Where a force makes it indefinite, the masses alone are the preconditioner.
  if (!factor_implicit_inertia(skeleton, m.matrix, ws.skeleton))
    factor_mass_matrix(skeleton, ws.skeleton);
  return conjugate_gradient(
      [&](const VecX& v, VecX& y) {
        multiply(skeleton, m.matrix, RigidInertia::with, v, ws.skeleton, y);
      },
      [&](const VecX& r, VecX& y) { solve_mass_matrix(skeleton, ws.skeleton, r, y); }, m.b,
      x.s.options.conjugate_gradient, m.scratch, x.delta);
}

}  // namespace

StepReport matrix_free_euler(const StepContext& s) {
  const System& system = s.system;
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h, t = state.t + h;
  if (!ws.matrix_free) ws.matrix_free = std::make_shared<MatrixFreeScratch>(system.skeleton());
  const std::span<VecX> stage = stages(s, 4);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  VecX& z = internal_stages(s, 1)[0];
  StepReport report;
  report.h = h;

  qddot.setZero();
  z = state.z;
  advance_internal(s, t, z);
  Solve x{s, s.at(t, state.q, state.qdot, z, h), qddot, g, qdot, 0};
  const bool recursive = system.has_recursive_mass() &&
                         std::all_of(system.parts().begin(), system.parts().end(),
                                     [](const auto& part) { return part->acts_on_links_only(); });
  const ConjugateGradientReport solved = recursive ? solve_recursively(x) : solve_assembled(x);
  report.work = h * x.power;
  report.one_sided_work = report.work - h * ws.drive_power;
  report.solver_iterations = solved.iterations;
  if (!solved.ok()) {
    fail(StepStatus::solver_failed, g, report);
    return report;
  }
  if (ws.border->drives()) report.work += ws.border->drive_power(view(qdot));
  qdot += state.qdot;
  q = state.q + h * qdot;
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  follow_path(s, t, q, qdot, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew
