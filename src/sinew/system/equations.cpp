#include "sinew/system/equations.hpp"

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/hill_equations.hpp"
#include "sinew/system/muscle_equations.hpp"
#include "sinew/system/soft_equations.hpp"

namespace sinew {
namespace {

/// The same at the (q, q̇) of the last expand.
ExpandedState expanded(const At& at, const Workspace& ws) {
  if (!ws.map) return {at.q, at.qdot};
  return {ws.map->q_view, ws.map->qdot_view};
}

void add_forces(const System& system, const At& at, const ExpandedState& x, ForceForm how,
                Workspace& ws) {
  // Elements add, so the sum starts from zero; without any it stays as the workspace made it.
  if (system.forces().empty() && !ws.constraints && !ws.muscles && !ws.soft) return;
  ws.forces.set_zero();
  const double* const controls = controls_at(system, at, ws);
  SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  for (size_t k = 0; k < system.forces().size(); ++k) {
    in.controls = controls + system.first_control(k);
    system.forces()[k]->add_force(in, ws.forces);
  }
  if (ws.soft) add_soft_forces(system, in, *ws.soft, ws.forces);
  if (!ws.muscles) return;
  update_tensions(system, controls, *ws.muscles);
  add_massless_muscles(system, in, how, *ws.muscles, ws.forces);
  if (ws.hill) add_hill_forces(system, in, at, how, *ws.muscles, *ws.hill, ws.forces);
}

void resize_if_needed(MatX& m, int n) {
  if (m.rows() != n || m.cols() != n) m.resize(n, n);
}

/// The skeleton's g at the forces in ws, by the recursion.
void skeleton_inverse_dynamics(const System& system, const SkeletonAt& in, const ConstVecRef& qddot,
                               ForceForm how, Workspace& ws, VecRef g) {
  const Skeleton& skeleton = system.skeleton();
  update_link_forces(skeleton, system.gravity(), ws.forces, qddot.data(), ws.skeleton);
  if (!system.has_massive_muscles()) {
    collect_link_forces(skeleton, ws.forces, ws.skeleton, g);
    return;
  }
  MuscleScratch& muscles = *ws.muscles;
  if (how == ForceForm::wrenches)
    add_muscle_wrenches(system, in, qddot.data(), ws.skeleton, muscles, ws.forces.power);
  else
    update_muscle_sums(system, in, qddot.data(), muscles, ws.skeleton.F, ws.forces.power);
  collect_link_forces(skeleton, ws.forces, ws.skeleton, g);
  g += how == ForceForm::wrenches ? muscles.tau : muscles.sums.tau;
}

/// g at the forces in ws; with a map, g_r in ws.map and its projection in g.
void recursive_inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot,
                                ForceForm how, Workspace& ws, VecRef g) {
  const ExpandedState x = expanded(at, ws);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  update_inertias(system.skeleton(), ws.skeleton);
  if (ws.soft) {
    // Vertices first: qddot and g may be the same vector.
    vertex_residuals(system, qddot, ws.forces, g);
    skeleton_inverse_dynamics(system, in, qddot, how, ws, g.head(system.skeleton().dof_count()));
    return;
  }
  if (!ws.map) {
    skeleton_inverse_dynamics(system, in, qddot, how, ws, g);
    return;
  }
  MapWorkspace& map = *ws.map;
  map.update_acceleration(qddot);
  skeleton_inverse_dynamics(system, in, map.qddot, how, ws, map.g);
  map.pull(map.g, g);
}

/// The mass matrix in the skeleton's coordinates. Needs update_inertias and, where muscles have
/// mass, ws.muscles->sums.
void full_mass_matrix(const System& system, Workspace& ws, MatX& M) {
  if (!system.has_massive_muscles()) {
    mass_matrix(system.skeleton(), ws.skeleton, M);
    return;
  }
  mass_matrix(system.skeleton(), ws.muscles->sums.carried, ws.skeleton, M);
  M += ws.muscles->sums.M;
}

/// Factors of the mass matrix, with the needs of full_mass_matrix.
void factor(const System& system, Workspace& ws) {
  if (ws.map) {
    full_mass_matrix(system, ws, ws.map->M);
    ws.map->project_mass_matrix();
    ws.map->mass.factor(ws.map->M_R);
  } else if (system.has_massive_muscles()) {
    resize_if_needed(ws.muscles->M, system.skeleton().dof_count());
    full_mass_matrix(system, ws, ws.muscles->M);
    ws.muscles->mass.factor(ws.muscles->M);
  } else {
    factor_mass_matrix(system.skeleton(), ws.skeleton);
  }
}

/// Kinematics, and inertias of links and muscles.
void update_all_inertias(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  update_inertias(system.skeleton(), ws.skeleton);
  if (!system.has_massive_muscles()) return;
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  ws.muscles->tension.assign(system.muscles().size(), 0);
  double power = 0;
  update_muscle_sums(system, in, nullptr, *ws.muscles, ws.muscles->wrench, power);
}

Workspace::Linearizer& linearizer(const System& system, Workspace& ws) {
  if (!ws.linearizer)
    ws.linearizer = std::make_unique<Workspace::Linearizer>(system.skeleton(), system.dof_count());
  return *ws.linearizer;
}

/// Derivatives of the skeleton's g at the point where inverse_dynamics just evaluated it; of the
/// reactions −Gᵀλ too, where λ is given.
void differentiate_skeleton(const System& system, const At& at, const ConstVecRef& qddot,
                            StiffnessModel kind, std::span<const double> lambda, Workspace& ws,
                            MatX& M, MatX& dg_dq, MatX& dg_dqdot) {
  const Skeleton& skeleton = system.skeleton();
  const ExpandedState x = expanded(at, ws);
  const SkeletonAt in{skeleton, at.t, x.q, x.qdot, ws.skeleton};
  Workspace::Linearizer& lin = linearizer(system, ws);
  if (kind == StiffnessModel::exact) {
    inverse_dynamics_derivatives(skeleton, x.q, x.qdot, qddot, ws.skeleton, lin.skeleton, M, dg_dq,
                                 dg_dqdot);
  } else {
    mass_matrix(skeleton, ws.skeleton, M);
    dg_dq.setZero();
    dg_dqdot.setZero();
  }
  if (ws.muscles)
    add_muscle_derivatives(system, in, qddot.data(),
                           kind == StiffnessModel::exact ? &lin.skeleton : nullptr, *ws.muscles, M,
                           dg_dq, dg_dqdot);
  if (ws.hill)
    add_hill_derivatives(system, in, qddot.data(),
                         kind == StiffnessModel::exact ? &lin.skeleton : nullptr, *ws.muscles,
                         *ws.hill, dg_dq, dg_dqdot);
  if (system.forces().empty() && lambda.empty() && !ws.soft) return;
  lin.forces.set_zero();
  if (ws.soft) {
    update_soft_stiffness(system, kind, *ws.soft, lin.forces);
    update_soft_coupling(system, ws.skeleton, lin.skeleton, kind, *ws.soft);
  }
  add_force_derivatives(system, at, kind, ws, lin.forces);
  if (!lambda.empty())
    for (const auto& constraint : system.constraints()) {
      const auto rows = static_cast<size_t>(constraint->rows());
      constraint->add_reaction_derivatives(in, lambda.first(rows), lin.forces);
      lambda = lambda.subspan(rows);
    }
  subtract_force_derivatives(skeleton, ws.skeleton, lin.forces, kind, lin.skeleton, dg_dq,
                             dg_dqdot);
}

void differentiate(const System& system, const At& at, const ConstVecRef& qddot,
                   StiffnessModel kind, std::span<const double> lambda, Workspace& ws,
                   Linearization& out) {
  const auto n = static_cast<int>(system.coordinates().size());
  for (MatX* m : {&out.M, &out.dg_dq, &out.dg_dqdot}) resize_if_needed(*m, n);
  if (!ws.map) {
    differentiate_skeleton(system, at, qddot, kind, lambda, ws, out.M, out.dg_dq, out.dg_dqdot);
    return;
  }
  MapWorkspace& map = *ws.map;
  differentiate_skeleton(system, at, map.qddot, kind, lambda, ws, map.M, map.dg_dq, map.dg_dqdot);
  map.project_derivatives(out.M, out.dg_dq, out.dg_dqdot);
}

/// W = M⁻¹Gᵀ with the factors that are there.
void update_responses(const System& system, Workspace& ws) {
  ConstraintWorkspace& c = *ws.constraints;
  if (!ws.map && !system.has_massive_muscles() && !ws.soft) {
    solve_mass_matrix(system.skeleton(), ws.skeleton, c.rows.Gt, c.W);
    return;
  }
  for (int r = 0; r < c.rows.size(); ++r)
    solve_mass_matrix(system, ws, c.rows.Gt.col(r), c.W.col(r));
}

/// S = G W, lower triangle.
void update_schur_complement(ConstraintWorkspace& c) {
  for (int j = 0; j < c.rows.size(); ++j)
    for (int i = j; i < c.rows.size(); ++i) c.S(i, j) = c.rows.dot(i, c.W.col(j).data());
}

/// From accelerations without constraints to those with them. With W = M⁻¹Gᵀ,
///     q̈ = q̈₀ − W λ,   (G W) λ = G q̈₀ + bias + stabilisation.
/// Needs the rows and W.
void constrain(const ConstVecRef& qdot, const Baumgarte& baumgarte, Workspace& ws, VecRef qddot) {
  ConstraintWorkspace& c = *ws.constraints;
  const ConstraintRows& rows = c.rows;
  update_schur_complement(c);
  for (int r = 0; r < rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    double b = rows.dot(r, qddot.data()) + rows.bias[r];
    if (baumgarte.rate != 0 && c.holding[rr])
      b += 2 * baumgarte.rate * (rows.dot(r, qdot.data()) + rows.rate[r]);
    if (c.position[rr]) b += baumgarte.position * baumgarte.position * rows.value[r];
    c.rhs[r] = b;
  }
  solve_multipliers(c);
  move_along(c.W, c.lambda, -1, qddot);
  // As reaction_power, without asking the elements again.
  for (int r = 0; r < rows.size(); ++r)
    ws.forces.power += c.holding[static_cast<size_t>(r)] ? c.lambda[r] * rows.rate[r]
                                                         : -c.lambda[r] * rows.dot(r, qdot.data());
}

}  // namespace

ExpandedState expand(const System&, const At& at, Workspace& ws) {
  if (!ws.map) return {at.q, at.qdot};
  ws.map->update(at.q, at.qdot);
  return {ws.map->q_view, ws.map->qdot_view};
}

void add_force_derivatives(const System& system, const At& at, StiffnessModel kind, Workspace& ws,
                           ForceDerivatives& out) {
  const ExpandedState x = expanded(at, ws);
  SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  const double* const controls = controls_at(system, at, ws);
  for (size_t k = 0; k < system.forces().size(); ++k) {
    in.controls = controls + system.first_control(k);
    system.forces()[k]->add_derivatives(in, kind, out);
  }
}

void update_kinematics(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
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
  const ExpandedState x = expand(system, at, ws);
  const auto n = static_cast<Eigen::Index>(system.all_coordinates().size());
  if (ws.soft) {
    all_q = x.q.head(n);
    all_qdot = x.qdot.head(n);
    return;
  }
  const Eigen::Index extra = n - x.q.size();
  all_q.resize(n);
  all_qdot.resize(n);
  all_q << x.q, at.q.tail(extra);
  all_qdot << x.qdot, at.qdot.tail(extra);
}

namespace {

void update_forces(const System& system, const At& at, ForceForm how, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  add_forces(system, at, x, how, ws);
}

}  // namespace

void update_forces(const System& system, const At& at, Workspace& ws) {
  update_forces(system, at, ForceForm::fast, ws);
}

void forward_dynamics(const System& system, const At& at, Workspace& ws, VecRef qddot,
                      const Baumgarte& baumgarte) {
  update_forces(system, at, ws);
  if (ws.constraints) update_constraints(system, at, ws);
  if (ws.map || system.has_massive_muscles()) {
    // M_R q̈_R = −Jᵀ (M J̇ q̇_R − f).
    qddot.setZero();
    recursive_inverse_dynamics(system, at, qddot, ForceForm::fast, ws, qddot);
    qddot = -qddot;
    factor(system, ws);
    solve_mass_matrix(system, ws, qddot, qddot);
    if (ws.constraints) update_responses(system, ws);
  } else if (ws.soft) {
    forward_dynamics(system.skeleton(), system.gravity(), ws.forces, ws.skeleton,
                     qddot.head(system.skeleton().dof_count()));
    vertex_accelerations(system, ws.forces, qddot);
    if (ws.constraints) update_responses(system, ws);
  } else if (ws.constraints) {
    forward_dynamics(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, qddot,
                     ws.constraints->rows.Gt, ws.constraints->W);
  } else {
    forward_dynamics(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, qddot);
  }
  if (ws.constraints) constrain(at.qdot, baumgarte, ws, qddot);
}

void update_constraints(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expanded(at, ws);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  ConstraintRows& rows = ws.constraints->rows;
  if (!ws.map) {
    update_constraint_rows(system.constraints(), in, rows);
    return;
  }
  MapWorkspace& map = *ws.map;
  rows.Gt.swap(map.Gt);  // the elements write the skeleton's
  update_constraint_rows(system.constraints(), in, rows);
  rows.Gt.swap(map.Gt);
  map.pull(map.Gt, rows.Gt);
  for (int r = 0; r < rows.size(); ++r) {
    const double curved = map.Gt.col(r).dot(map.quadratic);
    rows.Gdot_qdot[r] += curved;
    rows.bias[r] += curved;
  }
}

void update_constraint_values(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  ConstraintRows& rows = ws.constraints->rows;
  if (ws.constraints->kinematics) update_placement(system.skeleton(), x.q, x.qdot, ws.skeleton);
  if (!ws.map) {
    update_constraint_values(system.constraints(), in, rows);
    return;
  }
  rows.Gt.swap(ws.map->Gt);
  update_constraint_values(system.constraints(), in, rows);
  rows.Gt.swap(ws.map->Gt);
  ws.map->pull(ws.map->Gt, rows.Gt);
}

void update_unilaterals(const System& system, const At& at, const ContactSearch& search,
                        Workspace& ws) {
  const ExpandedState x = expanded(at, ws);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  UnilateralWorkspace& u = *ws.unilateral;
  ConstraintRows& rows = u.rows.rows;
  update_unilateral_rows(system.unilaterals(), in, search, u.rows);
  if (!ws.map) return;
  if (u.Gt_free.cols() != rows.Gt.cols()) u.Gt_free.resize(system.dof_count(), rows.Gt.cols());
  ws.map->pull(rows.Gt, u.Gt_free);
  for (int r = 0; r < u.rows.count; ++r) rows.Gdot_qdot[r] += rows.Gt.col(r).dot(ws.map->quadratic);
}

void update_directions(const System& system, Workspace& ws) {
  update_responses(system, ws);
  update_schur_complement(*ws.constraints);
}

void row_rate_derivatives(const System& system, Workspace& ws, MatRef out) {
  const DerivativeWorkspace& derivatives = ws.linearizer->skeleton;
  const ConstraintRows& rows = ws.constraints->rows;
  if (!ws.map) {
    row_rate_derivatives(system.skeleton(), ws.skeleton, derivatives, rows, out);
    return;
  }
  row_rate_derivatives(system.skeleton(), ws.skeleton, derivatives, rows, ws.map->R);
  ws.map->project_row_derivatives(out);
}

std::vector<std::vector<Measurement>> measure_constraints(const System& system, const State& state,
                                                          Workspace& ws) {
  std::vector<std::vector<Measurement>> out;
  const ExpandedState x = expand(system, state, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), state.t, x.q, x.qdot, ws.skeleton};
  const double* lambda = ws.constraints ? ws.constraints->lambda.data() : nullptr;
  for (const auto& constraint : system.constraints()) {
    const auto rows = static_cast<size_t>(constraint->rows());
    out.push_back(constraint->measure(in, {lambda, rows}));
    lambda += rows;
  }
  return out;
}

void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot, Workspace& ws,
                      VecRef g) {
  update_forces(system, at, ws);
  recursive_inverse_dynamics(system, at, qddot, ForceForm::fast, ws, g);
}

void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot,
                      const ConstVecRef& lambda, Workspace& ws, VecRef g) {
  update_forces(system, at, ForceForm::wrenches, ws);
  update_constraints(system, at, ws);
  add_reactions(system.constraints(), at.qdot, ws.constraints->rows, lambda, ws.forces);
  recursive_inverse_dynamics(system, at, qddot, ForceForm::wrenches, ws, g);
}

void update_transmitted_wrenches(const System& system, const At& at, const ConstVecRef& qddot,
                                 const AppliedForces& applied, Workspace& ws) {
  const ExpandedState x = expanded(at, ws);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  if (ws.map) ws.map->update_acceleration(qddot);
  const double* const all = ws.map ? ws.map->qddot.data() : qddot.data();
  update_link_forces(system.skeleton(), system.gravity(), applied, all, ws.skeleton);
  double power = 0;
  if (system.has_massive_muscles())
    add_muscle_wrenches(system, in, all, ws.skeleton, *ws.muscles, power);
  VecX& tau = ws.unilateral->tau;
  collect_link_forces(system.skeleton(), applied, ws.skeleton, tau);
}

void linearize(const System& system, const At& at, const ConstVecRef& qddot, StiffnessModel kind,
               Workspace& ws, VecRef g, Linearization& out) {
  update_forces(system, at, ForceForm::wrenches, ws);
  recursive_inverse_dynamics(system, at, qddot, ForceForm::wrenches, ws, g);
  differentiate(system, at, qddot, kind, {}, ws, out);
}

void linearize(const System& system, const At& at, const ConstVecRef& qddot,
               const ConstVecRef& lambda, Workspace& ws, VecRef g, Linearization& out) {
  inverse_dynamics(system, at, qddot, lambda, ws, g);
  differentiate(system, at, qddot, StiffnessModel::exact,
                {lambda.data(), static_cast<size_t>(lambda.size())}, ws, out);
}

void forward_dynamics_derivatives(const System& system, const At& at, Workspace& ws, VecRef qddot,
                                  ForwardDerivatives& out) {
  // M q̈ − f = 0 along the solution, so M δq̈ = −(∂g/∂q) δq − (∂g/∂q̇) δq̇ + δτ.
  if (ws.soft) system.soft()->refuse("has no forward_dynamics_derivatives", "use linearize");
  if (ws.constraints)
    throw Error("forward_dynamics_derivatives", "is not defined for systems with constraints",
                "use linearize and the rows of ws.constraints");
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

void momentum_and_force(const System& system, const At& at, Workspace& ws, VecRef p, VecRef dL_dq) {
  update_forces(system, at, ws);
  update_inertias(system.skeleton(), ws.skeleton);
  if (!ws.map) {
    momentum_and_force(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, p, dL_dq);
    return;
  }
  // L(m(q_R), J q̇_R): p_R = Jᵀ p, ∂L/∂q_R = Jᵀ ∂L/∂q + J̇ᵀ p.
  MapWorkspace& map = *ws.map;
  momentum_and_force(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, map.p, map.g);
  map.pull(map.p, p);
  map.pull(map.g, dL_dq);
  map.add_pulled_rate(map.p, dL_dq);
}

void momentum_correction(const System& system, const At& at, const ConstVecRef& b, double c,
                         bool factor, Workspace& ws, VecRef dL_dq, VecRef x) {
  if (ws.map) {
    momentum_and_force(system, at, ws, x, dL_dq);
    if (factor) sinew::factor(system, ws);
    x = b - x + c * dL_dq;
    solve_mass_matrix(system, ws, x, x);
    return;
  }
  update_forces(system, at, ws);
  momentum_correction(system.skeleton(), system.gravity(), ws.forces, b, c, factor, ws.skeleton,
                      dL_dq, x);
}

void mass_matrix(const System& system, const At& at, Workspace& ws, MatX& M) {
  update_all_inertias(system, at, ws);
  resize_if_needed(M, system.dof_count());
  if (ws.soft) {
    const int n = system.skeleton().dof_count();
    MatX skeleton(n, n);
    full_mass_matrix(system, ws, skeleton);
    M.setZero();
    M.topLeftCorner(n, n) = skeleton;
    for (int k = 0; k < system.soft()->dof_count(); ++k)
      M(n + k, n + k) = system.soft()->mass[k / 3];
    return;
  }
  if (!ws.map) {
    full_mass_matrix(system, ws, M);
    return;
  }
  full_mass_matrix(system, ws, ws.map->M);
  ws.map->project_mass_matrix();
  M = ws.map->M_R;
}

void factor_mass_matrix(const System& system, const At& at, Workspace& ws) {
  update_all_inertias(system, at, ws);
  factor(system, ws);
}

void solve_mass_matrix(const System& system, Workspace& ws, const ConstVecRef& b, VecRef x) {
  if (ws.map) {
    x = b;
    ws.map->mass.solve_in_place(x);
  } else if (ws.soft) {
    const int n = system.skeleton().dof_count();
    for (int k = 0; k < system.soft()->dof_count(); ++k)
      x[n + k] = b[n + k] / system.soft()->mass[k / 3];
    x.head(n) = b.head(n);
    if (system.has_massive_muscles())
      ws.muscles->mass.solve_in_place(x.head(n));
    else
      solve_mass_matrix(system.skeleton(), ws.skeleton, x.head(n), x.head(n));
  } else if (system.has_massive_muscles()) {
    x = b;
    ws.muscles->mass.solve_in_place(x);
  } else {
    solve_mass_matrix(system.skeleton(), ws.skeleton, b, x);
  }
}

Energy energy(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  update_inertias(system.skeleton(), ws.skeleton);
  Energy out;
  out.kinetic = kinetic_energy(system.skeleton(), ws.skeleton);
  out.gravity = gravity_energy(system.skeleton(), system.gravity(), ws.skeleton);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  for (const auto& force : system.forces()) out.elastic += force->potential_energy(in);
  if (system.has_massive_muscles()) {
    const MuscleEnergy muscles = muscle_energy(system, in, ws.skeleton, *ws.muscles);
    out.kinetic += muscles.kinetic;
    out.gravity += muscles.gravity;
  }
  if (ws.soft) {
    const Energy soft = soft_energy(system, in, *ws.soft);
    out.kinetic += soft.kinetic;
    out.gravity += soft.gravity;
    out.elastic += soft.elastic;
  }
  return out;
}

namespace {

/// Where a link's coordinates are in a state; −1 where one depends on others, and so has no chart
/// to choose.
int first_state_dof(const System& system, const Link& link) {
  const CoordinateMap* map = system.coordinate_map();
  if (!map) return link.dof;
  for (int k = 0; k < link.dof_count; ++k)
    if (map->free_index(link.dof + k) < 0) return -1;
  return map->free_index(link.dof);
}

}  // namespace

bool rechart(const System& system, State& state) {
  bool any = false;
  for (const Link& link : system.skeleton().links()) {
    if (link.kind != LinkKind::generic) continue;
    const Joint& joint = system.skeleton().body(link.body).joint;
    const auto n = static_cast<size_t>(link.dof_count);
    const int first = first_state_dof(system, link);
    if (first < 0) continue;
    const auto part = [&](VecX& x) { return std::span<double>(x.data() + first, n); };
    if (!joint.needs_rechart(part(state.q))) continue;
    any = true;
    const VecXb reference = state.q.segment(first, link.dof_count);
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
