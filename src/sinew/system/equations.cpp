#include "sinew/system/equations.hpp"

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"

namespace sinew {
namespace {

Workspace::Linearizer& linearizer(const System& system, Workspace& ws) {
  if (!ws.linearizer) ws.linearizer = std::make_unique<Workspace::Linearizer>(system.skeleton());
  return *ws.linearizer;
}

void resize_if_needed(MatX& m, int n) {
  if (m.rows() != n || m.cols() != n) m.resize(n, n);
}

/// Derivatives of g at the point where inverse_dynamics just evaluated it; of the reactions −Gᵀλ
/// too, where λ is given.
void differentiate(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                   const ConstVecRef& qddot, JacobianKind kind, std::span<const double> lambda,
                   Workspace& ws, Linearization& out) {
  const Skeleton& skeleton = system.skeleton();
  Workspace::Linearizer& lin = linearizer(system, ws);
  resize_if_needed(out.M, system.dof_count());
  resize_if_needed(out.dg_dq, system.dof_count());
  resize_if_needed(out.dg_dqdot, system.dof_count());
  if (kind == JacobianKind::full) {
    inverse_dynamics_derivatives(skeleton, q, qdot, qddot, ws.skeleton, lin.skeleton, out.M,
                                 out.dg_dq, out.dg_dqdot);
  } else {
    mass_matrix(skeleton, ws.skeleton, out.M);
    out.dg_dq.setZero();
    out.dg_dqdot.setZero();
  }
  if (system.forces().empty() && lambda.empty()) return;
  lin.forces.set_zero();
  const ForceInput in{skeleton, t, q, qdot, ws.skeleton};
  for (const auto& force : system.forces()) force->add_derivatives(in, kind, lin.forces);
  if (!lambda.empty())
    for (const auto& constraint : system.constraints()) {
      const auto rows = static_cast<size_t>(constraint->rows());
      constraint->add_reaction_derivatives(in, lambda.first(rows), lin.forces);
      lambda = lambda.subspan(rows);
    }
  subtract_force_derivatives(skeleton, ws.skeleton, lin.forces, kind, lin.skeleton, out.dg_dq,
                             out.dg_dqdot);
}

/// From accelerations without constraints to those with them. With W = M⁻¹Gᵀ,
///     q̈ = q̈₀ − W λ,   (G W) λ = G q̈₀ + bias + stabilisation.
/// Needs the factors that forward dynamics leaves.
void constrain(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
               const Baumgarte& baumgarte, Workspace& ws, VecRef qddot) {
  ConstraintWorkspace& c = *ws.constraints;
  update_constraints(system, t, q, qdot, ws);
  update_directions(system.skeleton(), ws.skeleton, c);
  const ConstraintRows& rows = c.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    double b = rows.Gt.col(r).dot(qddot) + rows.bias[r];
    if (baumgarte.rate != 0 && c.holding[rr])
      b += 2 * baumgarte.rate * (rows.Gt.col(r).dot(qdot) + rows.rate[r]);
    if (c.position[rr]) b += baumgarte.position * baumgarte.position * rows.value[r];
    c.rhs[r] = b;
  }
  solve_multipliers(c);
  qddot.noalias() -= c.W * c.lambda;
  ws.forces.power += reaction_power(system.constraints(), qdot, rows, c.lambda);
}

}  // namespace

void update(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
            Workspace& ws) {
  update_kinematics(system.skeleton(), q, qdot, ws.skeleton);
  // Elements add, so the sum starts from zero; without any it stays as the workspace made it.
  if (!system.forces().empty() || ws.constraints) {
    ws.forces.set_zero();
    const ForceInput in{system.skeleton(), t, q, qdot, ws.skeleton};
    for (const auto& force : system.forces()) force->add_force(in, ws.forces);
  }
}

void forward_dynamics(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                      Workspace& ws, VecRef qddot, const Baumgarte& baumgarte) {
  update(system, t, q, qdot, ws);
  forward_dynamics(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, qddot);
  if (ws.constraints) constrain(system, t, q, qdot, baumgarte, ws, qddot);
}

void update_constraints(const System& system, double t, const ConstVecRef& q,
                        const ConstVecRef& qdot, Workspace& ws) {
  const ForceInput in{system.skeleton(), t, q, qdot, ws.skeleton};
  update_constraint_rows(system.constraints(), in, ws.constraints->rows);
}

std::vector<std::vector<Measurement>> measure_constraints(const System& system, const State& state,
                                                          Workspace& ws) {
  std::vector<std::vector<Measurement>> out;
  update_kinematics(system.skeleton(), state.q, state.qdot, ws.skeleton);
  const ConstVecRef q(state.q), qdot(state.qdot);
  const ForceInput in{system.skeleton(), state.t, q, qdot, ws.skeleton};
  const double* lambda = ws.constraints ? ws.constraints->lambda.data() : nullptr;
  for (const auto& constraint : system.constraints()) {
    const auto rows = static_cast<size_t>(constraint->rows());
    out.push_back(constraint->measure(in, {lambda, rows}));
    lambda += rows;
  }
  return out;
}

void inverse_dynamics(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                      const ConstVecRef& qddot, Workspace& ws, VecRef g) {
  update(system, t, q, qdot, ws);
  update_inertias(system.skeleton(), ws.skeleton);
  inverse_dynamics(system.skeleton(), system.gravity(), ws.forces, qddot, ws.skeleton, g);
}

void inverse_dynamics(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                      const ConstVecRef& qddot, const ConstVecRef& lambda, Workspace& ws,
                      VecRef g) {
  update(system, t, q, qdot, ws);
  update_constraints(system, t, q, qdot, ws);
  const ForceInput in{system.skeleton(), t, q, qdot, ws.skeleton};
  add_reactions(system.constraints(), in, ws.constraints->rows, lambda, ws.forces);
  update_inertias(system.skeleton(), ws.skeleton);
  inverse_dynamics(system.skeleton(), system.gravity(), ws.forces, qddot, ws.skeleton, g);
}

void linearize(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
               const ConstVecRef& qddot, JacobianKind kind, Workspace& ws, VecRef g,
               Linearization& out) {
  inverse_dynamics(system, t, q, qdot, qddot, ws, g);
  differentiate(system, t, q, qdot, qddot, kind, {}, ws, out);
}

void linearize(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
               const ConstVecRef& qddot, const ConstVecRef& lambda, Workspace& ws, VecRef g,
               Linearization& out) {
  inverse_dynamics(system, t, q, qdot, qddot, lambda, ws, g);
  differentiate(system, t, q, qdot, qddot, JacobianKind::full,
                {lambda.data(), static_cast<size_t>(lambda.size())}, ws, out);
}

void forward_dynamics_derivatives(const System& system, double t, const ConstVecRef& q,
                                  const ConstVecRef& qdot, Workspace& ws, VecRef qddot,
                                  ForwardDerivatives& out) {
  // M q̈ − f = 0 along the solution, so M δq̈ = −(∂g/∂q) δq − (∂g/∂q̇) δq̇ + δτ.
  if (ws.constraints)
    throw Error("forward_dynamics_derivatives", "is not defined for systems with constraints",
                "use linearize and the rows of ws.constraints");
  const int n = system.dof_count();
  forward_dynamics(system, t, q, qdot, ws, qddot);
  Workspace::Linearizer& lin = linearizer(system, ws);
  linearize(system, t, q, qdot, qddot, JacobianKind::full, ws, lin.g, lin.at);
  lin.mass.compute(lin.at.M);
  out.dqddot_dtau.setIdentity(n, n);
  lin.mass.solveInPlace(out.dqddot_dtau);
  out.dqddot_dq.noalias() = -(out.dqddot_dtau * lin.at.dg_dq);
  out.dqddot_dqdot.noalias() = -(out.dqddot_dtau * lin.at.dg_dqdot);
}

void momentum_and_force(const System& system, double t, const ConstVecRef& q,
                        const ConstVecRef& qdot, Workspace& ws, VecRef p, VecRef dL_dq) {
  update(system, t, q, qdot, ws);
  update_inertias(system.skeleton(), ws.skeleton);
  momentum_and_force(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, p, dL_dq);
}

void momentum_correction(const System& system, double t, const ConstVecRef& q,
                         const ConstVecRef& qdot, const ConstVecRef& b, double c, bool factor,
                         Workspace& ws, VecRef dL_dq, VecRef x) {
  update(system, t, q, qdot, ws);
  momentum_correction(system.skeleton(), system.gravity(), ws.forces, b, c, factor, ws.skeleton,
                      dL_dq, x);
}

void factor_mass_matrix(const System& system, Workspace& ws) {
  update_inertias(system.skeleton(), ws.skeleton);
  factor_mass_matrix(system.skeleton(), ws.skeleton);
}

void solve_mass_matrix(const System& system, Workspace& ws, const ConstVecRef& b, VecRef x) {
  solve_mass_matrix(system.skeleton(), ws.skeleton, b, x);
}

Energy energy(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
              Workspace& ws) {
  update_kinematics(system.skeleton(), q, qdot, ws.skeleton);
  update_inertias(system.skeleton(), ws.skeleton);
  Energy out;
  out.kinetic = kinetic_energy(system.skeleton(), ws.skeleton);
  out.gravity = gravity_energy(system.skeleton(), system.gravity(), ws.skeleton);
  const ForceInput in{system.skeleton(), t, q, qdot, ws.skeleton};
  for (const auto& force : system.forces()) out.elastic += force->potential_energy(in);
  return out;
}

bool rechart(const System& system, State& state) {
  bool any = false;
  for (const Link& link : system.skeleton().links()) {
    if (link.kind != LinkKind::generic) continue;
    const Joint& joint = system.skeleton().body(link.body).joint;
    const auto n = static_cast<size_t>(link.dof_count);
    const auto part = [&](VecX& x) { return std::span<double>(x.data() + link.dof, n); };
    if (!joint.needs_rechart(part(state.q))) continue;
    any = true;
    const VecXb reference = state.q.segment(link.dof, link.dof_count);
    const Coordinates from(reference.data(), n);
    StepMemory& memory = state.memory;
    // Of the memory only the step before can be carried over; accelerations, momenta and
    // differences belong to the old chart, and whoever keeps them starts afresh.
    if (memory.q_1.size() > 0 && memory.qdot_1.size() == memory.q_1.size())
      joint.rechart(from, part(memory.q_1), part(memory.qdot_1));
    joint.rechart(from, part(state.q), part(state.qdot));
  }
  return any;
}

}  // namespace sinew
