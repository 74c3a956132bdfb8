#include "sinew/system/equations.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/element_sums.hpp"
#include "sinew/system/row_extent.hpp"

namespace sinew {
namespace {

PartDerivatives part_derivatives(const System& system, Linearization& at,
                                 ForceDerivatives& forces) {
  for (NodeEntries* nodes : {&at.M_nodes, &at.dg_dq_nodes, &at.dg_dqdot_nodes}) nodes->set_zero();
  return {system.masses(), system.nodes(),    at.M,  at.dg_dq, at.dg_dqdot, at.M_nodes,
          at.dg_dq_nodes,  at.dg_dqdot_nodes, forces};
}

/// Derivatives of g at the point where `residual` just evaluated it; also of the reactions −Gᵀλ,
/// if λ is given.
void differentiate(const System& system, const At& at, const VecView& qddot, StiffnessModel kind,
                   PartInertia inertia, std::span<const double> lambda, Workspace& ws,
                   Linearization& out) {
  const Skeleton& skeleton = system.skeleton();
  const ExpandedState x = ws.border->expanded(at);
  Workspace::Linearizer& lin = linearizer(system, ws);
  out.resize(static_cast<Eigen::Index>(system.coordinates().size()), system.masses(),
             system.nodes());
  Linearization& room = ws.border->linearization_room(out);
  const double* const xddot = ws.border->accelerations(qddot);
  const bool exact = kind == StiffnessModel::exact;
  if (exact) {
    inverse_dynamics_derivatives(skeleton, x.q, x.qdot, VecView(xddot, skeleton.dof_count()),
                                 ws.skeleton, lin.skeleton, room.M, room.dg_dq, room.dg_dqdot);
  } else {
    mass_matrix(skeleton, ws.skeleton, room.M);
    room.dg_dq.setZero();
    room.dg_dqdot.setZero();
  }
  lin.forces.set_zero();
  PartDerivatives of_parts = part_derivatives(system, room, lin.forces);
  const auto* const turning = exact && inertia == PartInertia::exact ? &lin.skeleton : nullptr;
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_inertial_derivatives(in, xddot, turning, scratch, of_parts);
                });
  lin.inertial_dg_dqdot = room.dg_dqdot;
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_force_derivatives(in, xddot, kind, lin.skeleton, scratch, of_parts);
                });
  add_force_derivatives(system, at, kind, ws, lin.forces);
  const SkeletonAt in = skeleton_at(system, at, x, ws);
  for (size_t k = 0; !lambda.empty(); ++k) {
    const Constraint& constraint = *system.constraints()[k];
    const auto rows = static_cast<size_t>(constraint.rows());
    constraint.add_reaction_derivatives(in, lambda.first(rows), lin.forces);
    constraint.add_part_derivatives(in, lambda.first(rows), of_parts);
    lambda = lambda.subspan(rows);
  }
  subtract_force_derivatives(skeleton, ws.skeleton, lin.forces, kind, lin.skeleton, room.dg_dq,
                             room.dg_dqdot);
  ws.border->pull_linearization(out);
}

/// S = G W, lower triangle.
void update_schur_complement(ConstraintWorkspace& c) {
  for (int i = 0; i < c.rows.size(); ++i) update_product_row(i, i + 1, c);
}

/// From accelerations without constraints to those with them. With W = M⁻¹Gᵀ,
///     q̈ = q̈₀ − W λ,   (G W) λ = G q̈₀ + bias + stabilisation.
/// Needs the rows, and W or factors.
void constrain(const VecView& qdot, const Baumgarte& baumgarte, Workspace& ws, VecRef& qddot) {
  ConstraintWorkspace& c = ws.constraints;
  const ConstraintRows& rows = c.rows;
  const bool stabilizes = baumgarte.rate != 0 || baumgarte.position != 0;
  for (int r = 0; r < rows.size(); ++r) {
    c.rhs[r] = rows.dot(r, qddot.data()) + rows.bias[r];
    if (stabilizes) c.rhs[r] += stabilization(baumgarte, qdot.data(), r, c);
  }
  if (SaddleMatrix* const saddle = ws.saddle()) {
    c.lambda = c.rhs;
    saddle->correct(qddot, c.lambda);
  } else {
    update_schur_complement(c);
    solve_multipliers(c);
    move_along(c.W, c.lambda, -1, qddot);
  }
  // Like reaction_power, without evaluating the elements again.
  for (int r = 0; r < rows.size(); ++r)
    ws.forces.power += c.holding[static_cast<size_t>(r)] ? c.lambda[r] * rows.rate[r]
                                                         : -c.lambda[r] * rows.dot(r, qdot.data());
}

}  // namespace

double stabilization(const Baumgarte& baumgarte, const double* qdot, int r,
                     const ConstraintWorkspace& c) {
  const auto rr = static_cast<size_t>(r);
  double out = 0;
  if (baumgarte.rate != 0 && c.holding[rr])
    out += 2 * baumgarte.rate * (c.rows.dot(r, qdot) + c.rows.rate[r]);
  if (c.position[rr]) out += baumgarte.position * baumgarte.position * c.rows.value[r];
  return out;
}

PartAt part_at(const System& system, size_t part, const At& at, const ExpandedState& x,
               const double* controls, const Workspace& ws) {
  const PartPlace& place = system.place(part);
  // None if the internal state is not given.
  const Eigen::Index internal =
      std::min<Eigen::Index>(system.parts()[part]->internal_count(), at.z.size());
  PartAt out{skeleton_at(system, at, x, ws),           system.gravity(), place.dof, place.node,
             {at.z.data() + place.internal, internal}, at.gamma};
  out.skeleton.controls = controls + place.control;
  return out;
}

PartAt part_at(const System& system, size_t part, const At& at, const Workspace& ws) {
  return part_at(system, part, at, ws.border->expanded(at), last_controls(at, ws), ws);
}

void add_force_derivatives(const System& system, const At& at, StiffnessModel kind, Workspace& ws,
                           ForceDerivatives& out) {
  SkeletonAt in = skeleton_at(system, at, ws.border->expanded(at), ws);
  const double* const controls = controls_at(system, at, ws);
  for (size_t k = 0; k < system.forces().size(); ++k) {
    in.controls = controls + system.first_control(k);
    system.forces()[k]->add_derivatives(in, kind, out);
  }
}

void update_kinematics(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = ws.border->expand(at);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
}

const double* controls_at(const System& system, const At& at, Workspace& ws) {
  const ControlSchedule& own = system.controls();
  if (at.controls.size() == own.size()) return at.controls.data();
  if (at.controls.size() > 0)
    throw Error("controls", "are not as many as the system has", "give one value for each");
  ws.controls.resize(own.size());
  own.evaluate(at.t, at, ws.controls);
  return ws.controls.data();
}

void expand_coordinates(const System& system, const At& at, Workspace& ws, VecX& all_q,
                        VecX& all_qdot) {
  const ExpandedState x = ws.border->expand(at);
  const Eigen::Index n = system.skeleton().dof_count();
  const auto free = static_cast<Eigen::Index>(system.coordinates().size());
  const auto all = static_cast<Eigen::Index>(system.all_coordinates().size());
  all_q.resize(all);
  all_qdot.resize(all);
  all_q << x.q.head(n), at.q.segment(free - (all - n), all - n);
  all_qdot << x.qdot.head(n), at.qdot.segment(free - (all - n), all - n);
}

void update_forces(const System& system, const At& at, Workspace& ws) {
  update_forces(system, at, ForceForm::alone, ws);
}

void forward_dynamics(const System& system, const At& at, Workspace& ws, VecRef qddot,
                      const Baumgarte& baumgarte) {
  update_forces(system, at, ForceForm::fast, ws);
  update_constraints(system, at, ws);
  ws.mass_solver->accelerate(system, at, ws, qddot);
  constrain(at.qdot, baumgarte, ws, qddot);
  if (!ws.border->drives()) return;
  const double rest = ws.border->drive_power({qddot.data(), qddot.size()});
  ws.drive_power += rest;
  ws.forces.power += rest;
}

namespace {

/// The rate of the rows that hold from the coordinates that time drives.
void add_drift(const ConstraintWorkspace& c, const Border& border, ConstraintRows& rows) {
  if (!border.drives()) return;
  for (int r = 0; r < rows.size(); ++r)
    if (c.holding[static_cast<size_t>(r)]) rows.rate[r] += border.drift_rate(rows, r);
}

}  // namespace

void update_constraints(const System& system, const At& at, Workspace& ws) {
  ConstraintRows& rows = ws.constraints.rows;
  ws.border->open_rows(rows);
  update_constraint_rows(system.constraints(), skeleton_at(system, at, ws.border->expanded(at), ws),
                         rows);
  ws.border->close_rows(rows, true);
  add_drift(ws.constraints, *ws.border, rows);
}

void update_constraint_values(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = ws.border->expand(at);
  ConstraintRows& rows = ws.constraints.rows;
  if (ws.constraints.kinematics) update_placement(system.skeleton(), x.q, x.qdot, ws.skeleton);
  ws.border->open_rows(rows);
  update_constraint_values(system.constraints(), skeleton_at(system, at, x, ws), rows);
  ws.border->close_rows(rows, false);
  add_drift(ws.constraints, *ws.border, rows);
}

namespace {

/// The rows of friction that parts write.
void add_holds(const System& system, const At& at, Workspace& ws) {
  UnilateralRows& rows = ws.unilateral.rows;
  int row = rows.first_hold;
  size_t first = 0;
  for_each_part(system, at, controls_at(system, at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  const int count = part.hold_count();
                  if (count == 0) return;
                  const auto size = static_cast<size_t>(count);
                  for (VecX* x : {&rows.rows.value, &rows.rows.rate, &rows.rows.bias})
                    x->segment(row, count).setZero();
                  part.add_holds(in, scratch, row, rows.rows,
                                 std::span(rows.holds).subspan(first, size));
                  row += count;
                  first += size;
                });
}

}  // namespace

void update_unilaterals(const System& system, const At& at, const ContactSearch& search,
                        Workspace& ws) {
  UnilateralRows& rows = ws.unilateral.rows;
  ws.border->open_rows(rows.rows);
  const SkeletonAt in = skeleton_at(system, at, ws.border->expanded(at), ws);
  list_unilateral_rows(system.unilaterals(), in, search, rows);
  if (!rows.holds.empty()) add_holds(system, at, ws);
  update_row_jacobian(system.skeleton(), ws.skeleton, rows.rows);
  update_row_bias(in, rows.rows);
  ws.border->close_rows(rows.rows, true);
  if (!ws.border->drives()) return;
  for (int r = 0; r < rows.count; ++r) rows.rows.rate[r] += ws.border->drift_rate(rows.rows, r);
}

void update_directions(const System& system, Workspace& ws) {
  ws.row_factors = RowFactors::dense;
  size_dense(ws.constraints);
  ws.mass_solver->solve_rows(system, ws);
  update_schur_complement(ws.constraints);
}

void row_rate_derivatives(const System& system, Workspace& ws, MatX& out) {
  const ConstraintRows& rows = ws.constraints.rows;
  row_rate_derivatives(system.skeleton(), ws.skeleton, ws.linearizer->skeleton, rows,
                       ws.border->row_derivative_room(out));
  ws.border->pull_row_derivatives(rows, out);
}

std::vector<std::vector<Measurement>> measure_constraints(const System& system, const State& state,
                                                          Workspace& ws) {
  std::vector<std::vector<Measurement>> out;
  update_kinematics(system, state, ws);
  const SkeletonAt in = skeleton_at(system, state, ws.border->expanded(state), ws);
  const double* lambda = ws.constraints.lambda.data();
  for (const auto& constraint : system.constraints()) {
    const auto rows = static_cast<size_t>(constraint->rows());
    out.push_back(constraint->measure(in, {lambda, rows}));
    lambda += rows;
  }
  return out;
}

void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot, Workspace& ws,
                      VecRef g) {
  update_forces(system, at, ForceForm::fast, ws);
  residual(system, at, view(qddot), ForceForm::fast, ws, g);
}

namespace {

void inverse_dynamics(const System& system, const At& at, const VecView& qddot,
                      const VecView& lambda, ForceForm how, Workspace& ws, VecRef& g) {
  update_forces(system, at, how, ws);
  update_constraints(system, at, ws);
  add_reactions(system.constraints(), at.qdot, ws.constraints.rows, lambda, ws.forces);
  residual(system, at, qddot, how, ws, g);
  if (!ws.border->drives()) return;
  // What reactions ask of the drives is in both powers: in that of the rows' rates, too.
  for (int r = 0; r < ws.constraints.rows.size(); ++r)
    ws.forces.power -= lambda[r] * ws.border->drift_rate(ws.constraints.rows, r);
}

}  // namespace

void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot,
                      const ConstVecRef& lambda, Workspace& ws, VecRef g) {
  inverse_dynamics(system, at, view(qddot), view(lambda), ForceForm::fast, ws, g);
}

void update_transmitted_wrenches(const System& system, const At& at, const ConstVecRef& qddot,
                                 const AppliedForces& applied, Workspace& ws) {
  const double* const xddot = ws.border->accelerations(view(qddot));
  update_link_forces(system.skeleton(), system.gravity(), applied, xddot, ws.skeleton);
  double power = 0;
  add_part_forces(system, at, xddot, ws, power);
  collect_link_forces(system.skeleton(), applied, ws.skeleton, ws.unilateral.tau.data());
}

void linearize(const System& system, const At& at, const ConstVecRef& qddot, StiffnessModel kind,
               Workspace& ws, VecRef g, Linearization& out) {
  update_forces(system, at, ForceForm::wrenches, ws);
  residual(system, at, view(qddot), ForceForm::wrenches, ws, g);
  differentiate(system, at, view(qddot), kind, PartInertia::exact, {}, ws, out);
}

void linearize(const System& system, const At& at, const ConstVecRef& qddot,
               const ConstVecRef& lambda, PartInertia inertia, Workspace& ws, VecRef g,
               Linearization& out) {
  inverse_dynamics(system, at, view(qddot), view(lambda), ForceForm::wrenches, ws, g);
  differentiate(system, at, view(qddot), StiffnessModel::exact, inertia,
                {lambda.data(), static_cast<size_t>(lambda.size())}, ws, out);
}

void assemble_stage_matrix(const System& system, const Linearization& at, double gamma,
                           NodeMatrix& A) {
  A.resize(at.M.rows());
  A.rr = at.M + gamma * at.dg_dqdot + gamma * gamma * at.dg_dq;
  combine_entries(system.masses(), at.M_nodes, system.nodes(), at.dg_dqdot_nodes, at.dg_dq_nodes,
                  gamma, A.nodes);
}

void differentiate_inertia(const System& system, const At& at, Workspace& ws, Linearization& out) {
  const Skeleton& skeleton = system.skeleton();
  const ExpandedState x = ws.border->expanded(at);
  Workspace::Linearizer& lin = linearizer(system, ws);
  out.resize(skeleton.dof_count(), system.masses(), system.nodes());
  lin.at_rest.setZero(ws.part_tau.size());
  inverse_dynamics_derivatives(skeleton, x.q, x.qdot, view(lin.at_rest), ws.skeleton, lin.skeleton,
                               out.M, out.dg_dq, out.dg_dqdot);
  PartDerivatives of_parts = part_derivatives(system, out, lin.forces);
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_inertial_derivatives(in, lin.at_rest.data(), &lin.skeleton, scratch,
                                                of_parts);
                });
}

void forward_dynamics_derivatives(const System& system, const At& at, Workspace& ws, VecRef qddot,
                                  ForwardDerivatives& out) {
  // M q̈ − f = 0 along the solution, so M δq̈ = −(∂g/∂q) δq − (∂g/∂q̇) δq̇ + δτ.
  if (!system.constraints().empty() || system.nodes().count() > 0)
    throw Error("forward_dynamics_derivatives",
                "is not defined for systems with constraints or with parts that have coordinates",
                "use linearize, and the rows of ws.constraints");
  const int n = system.dof_count();
  forward_dynamics(system, at, ws, qddot);
  Workspace::Linearizer& lin = linearizer(system, ws);
  linearize(system, at, qddot, StiffnessModel::exact, ws, lin.g, lin.at);
  lin.mass.compute(lin.at.M);
  out.dqddot_dtau.setIdentity(n, n);
  lin.mass.solveInPlace(out.dqddot_dtau);
  out.dqddot_dq.noalias() = -(out.dqddot_dtau * lin.at.dg_dq);
  out.dqddot_dqdot.noalias() = -(out.dqddot_dtau * lin.at.dg_dqdot);
}

void update_mass_matrix(const System& system, const At& at, Workspace& ws) {
  update_kinematics(system, at, ws);
  update_inertias(system.skeleton(), ws.skeleton);
  // Mass does not depend on controls or on the internal state.
  if (ws.controls.size() != system.controls().size()) ws.controls.setZero(system.controls().size());
  const At place(at.t, at.q, at.qdot);
  double power = 0;
  add_part_mass(system, place, nullptr, ws, ws.unused_wrench, power);
  assemble_mass(system, ws);
}

void mass_matrix(const System& system, const At& at, Workspace& ws, MatX& M) {
  update_mass_matrix(system, at, ws);
  const Eigen::Index n = system.dof_count();
  M.setZero(n, n);
  VecX unit = VecX::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit[k] = 1;
    add_product(system.masses(), ws.mass.M.rr, ws.mass.M.nodes, 1, unit, M.col(k));
    unit[k] = 0;
  }
}

void factor_mass_matrix(const System& system, const At& at, Workspace& ws) {
  ws.mass_solver->factor(system, at, ws);
}

void solve_mass_matrix(const System& system, Workspace& ws, const ConstVecRef& b, VecRef x) {
  ws.mass_solver->solve(system, ws, b, x);
}

Energy energy_without_parts(const System& system, const At& at, Workspace& ws) {
  update_inertias(system.skeleton(), ws.skeleton);
  Energy out;
  out.kinetic = kinetic_energy(system.skeleton(), ws.skeleton);
  out.gravity = gravity_energy(system.skeleton(), system.gravity(), ws.skeleton);
  const SkeletonAt in = skeleton_at(system, at, ws.border->expanded(at), ws);
  for (const auto& force : system.forces()) out.elastic += force->potential_energy(in);
  return out;
}

Energy energy(const System& system, const At& at, Workspace& ws) {
  update_kinematics(system, at, ws);
  Energy out = energy_without_parts(system, at, ws);
  for (Vec6& a : ws.skeleton.a) a.setZero();
  for_each_part(system, at, controls_at(system, at, ws), ws,
                [&](const Part& part, const PartAt& part_in, PartScratch& scratch) {
                  out += part.energy(part_in, scratch);
                });
  return out;
}

void settle_parts(const System& system, State& state, Workspace& ws, Settling how) {
  update_kinematics(system, state, ws);
  const double* const controls = controls_at(system, state, ws);
  const ExpandedState x = ws.border->expanded(state);
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    part.settle_internal(part_at(system, k, state, x, controls, ws), how, *ws.parts[k],
                         state.z.segment(system.place(k).internal, part.internal_count()));
  }
}

void internal_rates(const System& system, const At& at, Workspace& ws, VecRef zdot) {
  for (size_t k = 0; k < system.parts().size(); ++k)
    system.parts()[k]->internal_rates(
        part_at(system, k, at, ws), *ws.parts[k],
        zdot.segment(system.place(k).internal, system.parts()[k]->internal_count()));
}

namespace {

/// Index of a link's coordinates in a state; −1 if one depends on others, and so has no chart
/// to choose.
int first_state_dof(const Link& link, const Border& border) {
  for (int k = 0; k < link.dof_count; ++k)
    if (border.state_index(link.dof + k) < 0) return -1;
  return border.state_index(link.dof);
}

/// Calls f(joint, index of its first coordinate in a state) for every joint that needs new charts
/// at `reference`.
template <class F>
void for_each_chart(const System& system, const VecX& reference, const Workspace& ws, F&& f) {
  for (const Link& link : system.skeleton().links()) {
    if (link.kind != LinkKind::generic) continue;
    const Joint& joint = system.skeleton().body(link.body).joint;
    const int first = first_state_dof(link, *ws.border);
    if (first < 0) continue;
    const auto n = static_cast<size_t>(link.dof_count);
    if (joint.needs_rechart(Coordinates(reference.data() + first, n))) f(joint, first, n);
  }
}

}  // namespace

bool rechart(const System& system, State& state, const Workspace& ws) {
  bool any = false;
  for_each_chart(system, state.q, ws, [&](const Joint& joint, int first, size_t n) {
    any = true;
    const auto part = [&](VecX& x) { return std::span<double>(x.data() + first, n); };
    const VecXb reference = state.q.segment(first, static_cast<Eigen::Index>(n));
    const Coordinates from(reference.data(), n);
    StepMemory& memory = state.memory;
    // Only the previous step can be carried over from the memory; accelerations, momenta and
    // differences belong to the old chart, and integrators that keep them start afresh.
    if (memory.q_1.size() > 0 && memory.qdot_1.size() == memory.q_1.size())
      joint.rechart(from, part(memory.q_1), part(memory.qdot_1));
    joint.rechart(from, part(state.q), part(state.qdot));
  });
  return any;
}

void update_chart_changes(const System& system, const VecX& reference, const VecX& q,
                          const VecX& qdot, const Workspace& ws, std::vector<ChartChange>& out) {
  out.clear();
  for_each_chart(system, reference, ws, [&](const Joint& joint, int first, size_t n) {
    const auto part = [&](const VecX& x) { return Coordinates(x.data() + first, n); };
    const auto size = static_cast<Eigen::Index>(n);
    ChartChange& change = out.emplace_back(
        ChartChange{first, ChartChange::Block(size, size), ChartChange::Block(size, size)});
    joint.differentiate_rechart(part(reference), part(q), part(qdot), change.dq, change.dqdot);
  });
}

void control_derivatives(const System& system, const At& at, Workspace& ws, MatX& out) {
  const ExpandedState x = ws.border->expanded(at);
  const double* const controls = last_controls(at, ws);
  const int count = system.controls().size();
  const size_t parts = system.parts().size(), forces = system.forces().size();
  const int of_forces = forces > 0 ? system.first_control(0) : count;
  out.setZero(ws.part_tau.size(), count);
  for (size_t k = 0; k < parts; ++k) {
    const int first = system.place(k).control;
    const int end = k + 1 < parts ? system.place(k + 1).control : of_forces;
    if (end > first)
      system.parts()[k]->add_control_derivatives(part_at(system, k, at, x, controls, ws),
                                                 *ws.parts[k], out.middleCols(first, end - first));
  }
  SkeletonAt in = skeleton_at(system, at, x, ws);
  for (size_t k = 0; k < forces; ++k) {
    const int first = system.first_control(k);
    const int end = k + 1 < forces ? system.first_control(k + 1) : count;
    if (end == first) continue;
    in.controls = controls + first;
    system.forces()[k]->add_control_derivatives(in, out.middleCols(first, end - first));
  }
  if (system.coordinate_map() != nullptr) out = ws.border->pulled(out);
}

void internal_derivatives(const System& system, const At& at, Workspace& ws,
                          InternalDerivatives& out) {
  const Eigen::Index x = ws.part_tau.size(), z = system.internal_count();
  out.force_by_start.setZero(x, z);
  out.by_coordinates.setZero(z, x);
  out.by_start.clear();
  for (size_t k = 0; k < system.parts().size(); ++k)
    system.parts()[k]->add_internal_derivatives(part_at(system, k, at, ws), *ws.parts[k],
                                                system.place(k).internal, out);
  if (system.coordinate_map() == nullptr) return;
  out.force_by_start = ws.border->pulled(out.force_by_start);
  out.by_coordinates = ws.border->pulled(out.by_coordinates.transpose()).transpose();
}

}  // namespace sinew
