#include "sinew/system/mass_solver.hpp"

#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/element_sums.hpp"

namespace sinew {
namespace {

/// The mass is that of the links alone, and every coordinate is the skeleton's.
class RecursiveMass final : public MassSolver {
 public:
  void add_part_forces(const System& system, const At& at, const double* xddot,
                       Workspace& ws) override {
    sinew::add_part_forces(system, at, xddot, ws, ws.forces.power);
  }
  void accelerate(const System& system, const At&, Workspace& ws, VecRef& qddot) override {
    ws.row_factors = RowFactors::dense;
    size_dense(ws.constraints);
    forward_dynamics(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, qddot.data(),
                     ws.constraints.rows.Gt(), ws.constraints.W);
  }
  void factor(const System& system, const At& at, Workspace& ws) override {
    update_kinematics(system, at, ws);
    update_inertias(system.skeleton(), ws.skeleton);
    factor_mass_matrix(system.skeleton(), ws.skeleton);
  }
  void solve(const System& system, Workspace& ws, const ConstVecRef& b, VecRef& x) override {
    solve_mass_matrix(system.skeleton(), ws.skeleton, b, x);
  }
  void solve_rows(const System& system, Workspace& ws) override {
    solve_mass_matrix(system.skeleton(), ws.skeleton, ws.constraints.rows.Gt(), ws.constraints.W);
  }
  void momentum_and_force(const System& system, const At& at, Workspace& ws, VecX& p,
                          VecX& dL_dq) override {
    update_forces(system, at, ws);
    update_inertias(system.skeleton(), ws.skeleton);
    sinew::momentum_and_force(system.skeleton(), system.gravity(), ws.forces, ws.skeleton, p,
                              dL_dq);
  }
  void momentum_correction(const System& system, const At& at, const VecX& b, double c, bool factor,
                           Workspace& ws, VecX& dL_dq, VecX& x) override {
    update_forces(system, at, ws);
    sinew::momentum_correction(system.skeleton(), system.gravity(), ws.forces, b, c, factor,
                               ws.skeleton, dL_dq, x);
  }
};

class AssembledMass final : public MassSolver {
 public:
  void add_part_forces(const System& system, const At& at, const double* xddot,
                       Workspace& ws) override {
    add_part_mass(system, at, xddot, ws, ws.skeleton.F, ws.forces.power);
  }
  void accelerate(const System& system, const At& at, Workspace& ws, VecRef& qddot) override {
    // M q̈ = −g at q̈ = 0.
    qddot.setZero();
    residual(system, at, {qddot.data(), qddot.size()}, ForceForm::fast, ws, qddot);
    qddot = -qddot;
    factor(system, ws);
    solve(system, ws, qddot, qddot);
    if (factor_rows(ws)) return;
    size_dense(ws.constraints);
    solve_rows(system, ws);
  }
  void factor(const System& system, const At& at, Workspace& ws) override {
    update_mass_matrix(system, at, ws);
    factor_assembled(ws);
  }
  void solve(const System&, Workspace& ws, const ConstVecRef& b, VecRef& x) override {
    x = b;
    ws.mass.M.reduce(x);
    ws.mass.factor.solve_in_place(x.head(ws.mass.factor.size()));
    ws.mass.M.extend(x);
  }
  bool factor_rows(Workspace& ws) override {
    const ConstraintWorkspace& c = ws.constraints;
    const bool factored = ws.mass_saddle.factor(ws.mass.M, c.rows, c.every);
    ws.row_factors = factored ? RowFactors::of_mass : RowFactors::dense;
    return factored;
  }
  void solve_rows(const System& system, Workspace& ws) override {
    ConstraintWorkspace& c = ws.constraints;
    for (int r = 0; r < c.rows.size(); ++r) {
      VecRef w = c.W.col(r);
      solve(system, ws, c.rows.Gt().col(r), w);
    }
  }
  /// From g = M ẍ + C ẋ − Q with Christoffel's symbols in C: ∂L/∂x + Q = Ṁ ẋ − g at ẍ = 0, and Ṁ is
  /// the symmetric part of ∂(C ẋ)/∂ẋ = 2 C.
  void momentum_and_force(const System& system, const At& at, Workspace& ws, VecX& p,
                          VecX& dL_dq) override {
    update_forces(system, at, ForceForm::wrenches, ws);
    const Eigen::Index n = ws.part_tau.size();
    VecRef force = dL_dq;
    VecRoom p_x(ws.border->momentum_room(p), n), dL_dx(ws.border->force_room(force), n);
    residual_of_elements(system, at, nullptr, ForceForm::wrenches, ws, dL_dx.data());
    Linearization& lin = linearizer(system, ws).at;
    differentiate_inertia(system, at, ws, lin);
    const VecView xdot = ws.border->expanded(at).qdot;
    p_x.setZero();
    add_product(system.masses(), lin.M, lin.M_nodes, 1, xdot, p_x);
    lin.M = 0.5 * (lin.dg_dqdot + lin.dg_dqdot.transpose());
    symmetrize(system.nodes(), lin.dg_dqdot_nodes);
    dL_dx = -dL_dx;
    add_product(system.nodes(), lin.M, lin.dg_dqdot_nodes, 1, xdot, dL_dx);
    // L(m(q_R), J q̇_R): p_R = Jᵀ p, ∂L/∂q_R = Jᵀ ∂L/∂x + J̇ᵀ p.
    ws.border->pull_momentum(p, dL_dq);
  }
  void momentum_correction(const System& system, const At& at, const VecX& b, double c,
                           bool factor_anew, Workspace& ws, VecX& dL_dq, VecX& x) override {
    momentum_and_force(system, at, ws, x, dL_dq);
    if (factor_anew) factor(system, at, ws);
    x = b - x + c * dL_dq;
    VecRef solution = x;
    solve(system, ws, x, solution);
  }

 private:
  /// Needs residual in the fast form.
  void factor(const System& system, Workspace& ws) {
    assemble_mass(system, ws);
    factor_assembled(ws);
  }
  void factor_assembled(Workspace& ws) {
    ws.mass.M.eliminate_nodes();
    ws.mass.factor.factor(ws.mass.M.reduced());
  }
};

}  // namespace

std::unique_ptr<MassSolver> make_mass_solver(const System& system) {
  if (system.has_recursive_mass()) return std::make_unique<RecursiveMass>();
  return std::make_unique<AssembledMass>();
}

}  // namespace sinew
