#pragma once

#include "sinew/system/workspace.hpp"

/// The narrow waist: integrators see one equation, M(q) q̈ = f(t, q, q̇) − Gᵀλ, the rows that λ
/// satisfies (ConstraintRows), and their derivatives; never a list of ingredients.

namespace sinew {

/// The view of a part, from the coordinates x of all elements and the values of all controls.
PartAt part_at(const System& system, size_t part, const At& at, const ExpandedState& x,
               const double* controls, const Workspace& ws);
/// The same at the state of the last expand, with the controls of the last update_forces.
PartAt part_at(const System& system, size_t part, const At& at, const Workspace& ws);

/// The coordinates of elements at a state.
inline ExpandedState expand(const System&, const At& at, Workspace& ws) {
  return ws.border->expand(at);
}

/// Kinematics at (q, q̇). Here and below q is a state's: the free coordinates if others depend on
/// them (CoordinateMap).
void update_kinematics(const System& system, const At& at, Workspace& ws);

/// Values of System::all_coordinates() at a state. Overwrites the map's values in ws.
void expand_coordinates(const System& system, const At& at, Workspace& ws, VecX& all_q,
                        VecX& all_qdot);

/// Values of the controls: those of `at`, otherwise of the system's own schedule.
const double* controls_at(const System& system, const At& at, Workspace& ws);

/// Kinematics and all applied forces. The functions below say whether they need it.
void update_forces(const System& system, const At& at, Workspace& ws);

/// Adds the derivatives of the force elements. Needs update_kinematics.
void add_force_derivatives(const System& system, const At& at, StiffnessModel kind, Workspace& ws,
                           ForceDerivatives& out);

/// Leads violated constraints back without a projection (Baumgarte):
///     acceleration level   G q̈ + bias = −2 rate (G q̇ + ∂g/∂t) − position² g
///     velocity level       G q̇ + ∂g/∂t = −implicit g
/// All in 1/s; zero: off.
struct Baumgarte {
  double rate = 0, position = 0, implicit = 0;
};
/// What it adds to row r on accelerations.
double stabilization(const Baumgarte& baumgarte, const double* qdot, int r,
                     const ConstraintWorkspace& c);

/// q̈ at (t, q, q̇), constraints satisfied. Runs update; writes λ to ws.constraints, and the power of
/// prescribed motions to ws.forces.power.
void forward_dynamics(const System& system, const At& at, Workspace& ws, VecRef qddot,
                      const Baumgarte& baumgarte = {});

/// Residual g = M q̈ − f: the generalised forces missing for the accelerations q̈, including the
/// reactions of constraints. Runs update.
void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot, Workspace& ws,
                      VecRef g);

/// Wrenches that the links pass on to their parents at q̈, under these applied forces in place of
/// ws.forces, muscles with mass among the links: writes ws.skeleton.F. Needs inverse_dynamics or
/// linearize at `at`.
void update_transmitted_wrenches(const System& system, const At& at, const ConstVecRef& qddot,
                                 const AppliedForces& applied, Workspace& ws);

/// Writes g and its derivatives. Runs update. `kind` reference omits the terms that the reference
/// omits (see StiffnessModel).
void linearize(const System& system, const At& at, const ConstVecRef& qddot, StiffnessModel kind,
               Workspace& ws, VecRef g, Linearization& out);

/// The same for g = M q̈ − f + Gᵀλ. Also updates ws.constraints.rows.
void inverse_dynamics(const System& system, const At& at, const ConstVecRef& qddot,
                      const ConstVecRef& lambda, Workspace& ws, VecRef g);
/// The derivatives of the inertial forces of parts: all, or M alone, with which Newton's method
/// converges, too, if the step is short. Those of muscles with mass cost more than all else.
enum class PartInertia { exact, mass_alone };
void linearize(const System& system, const At& at, const ConstVecRef& qddot,
               const ConstVecRef& lambda, PartInertia inertia, Workspace& ws, VecRef g,
               Linearization& out);

/// A = M + γ ∂g/∂q̇ + γ² ∂g/∂q, the matrix of an implicit stage: its entries.
void assemble_stage_matrix(const System& system, const Linearization& at, double gamma,
                           NodeMatrix& A);

/// M and ∂g/∂q̇ of inertia alone, ẍ = 0, in the coordinates of elements. Needs inverse_dynamics with
/// ẍ = 0.
void differentiate_inertia(const System& system, const At& at, Workspace& ws, Linearization& out);

/// Rows of all constraints at the (t, q, q̇) of the last update: writes ws.constraints.rows.
void update_constraints(const System& system, const At& at, Workspace& ws);
/// The part of them that q̇ does not enter at (t, q), with only the kinematics that they need:
/// enough for projections, without an earlier update.
void update_constraint_values(const System& system, const At& at, Workspace& ws);

/// Rows of limits, contacts and friction that holds, at the (t, q, q̇) of the last
/// update_kinematics: writes ws.unilateral.rows.
void update_unilaterals(const System& system, const At& at, const ContactSearch& search,
                        Workspace& ws);

/// W = M⁻¹Gᵀ and S = G W (lower triangle) into ws.constraints, with the factors of
/// factor_mass_matrix at the q of the rows.
void update_directions(const System& system, Workspace& ws);

/// ∂(G q̇ + ∂g/∂t)/∂q of all rows, rows × n. Needs linearize at the same state.
void row_rate_derivatives(const System& system, Workspace& ws, MatX& out);

/// The action of the constraints at a state, from λ as forward_dynamics or a step left it in
/// ws.constraints. One list for each constraint. Runs update_kinematics; allocates.
std::vector<std::vector<Measurement>> measure_constraints(const System& system, const State& state,
                                                          Workspace& ws);

/// Derivatives of q̈ = M⁻¹ f with respect to q, q̇ and an additional generalised force (= M⁻¹).
/// Throws an Error if there are constraints, or parts with coordinates: implicit integrators
/// have what gradients need.
struct ForwardDerivatives {
  MatX dqddot_dq, dqddot_dqdot, dqddot_dtau;
};
void forward_dynamics_derivatives(const System& system, const At& at, Workspace& ws, VecRef qddot,
                                  ForwardDerivatives& out);

/// Generalised momentum p = ∂L/∂q̇ = M q̇ and ∂L/∂q + (applied forces that have no potential): the
/// right-hand sides of Hamilton's principle, in one O(n) pass. Runs update.
inline void momentum_and_force(const System& system, const At& at, Workspace& ws, VecX& p,
                               VecX& dL_dq) {
  ws.mass_solver->momentum_and_force(system, at, ws, p, dL_dq);
}

/// x = M⁻¹ (b − p + c ∂L/∂q) with the p and ∂L/∂q of momentum_and_force, in one go: the correction
/// of q̇ that an implicit step in momenta needs. With `factor` false it uses the existing factors
/// of M, of a nearby q. Runs update; also writes dL_dq.
inline void momentum_correction(const System& system, const At& at, const VecX& b, double c,
                                bool factor, Workspace& ws, VecX& dL_dq, VecX& x) {
  ws.mass_solver->momentum_correction(system, at, b, c, factor, ws, dL_dq, x);
}

/// M into ws.mass.M. Runs update_kinematics.
void update_mass_matrix(const System& system, const At& at, Workspace& ws);
/// The same as one dense matrix; M is resized.
void mass_matrix(const System& system, const At& at, Workspace& ws, MatX& M);

/// The mass matrix's factorisation at the q of the last update, and x = M⁻¹ b with it; b and x may
/// be the same vector. forward_dynamics also leaves the factors behind.
void factor_mass_matrix(const System& system, const At& at, Workspace& ws);
void solve_mass_matrix(const System& system, Workspace& ws, const ConstVecRef& b, VecRef x);

struct Energy {
  double kinetic = 0;
  double gravity = 0;  ///< zero if the centre of mass is at the world's origin
  double elastic = 0;  ///< springs and joint stiffness
  double potential() const { return gravity + elastic; }
  double total() const { return kinetic + gravity + elastic; }
  Energy& operator+=(const PartEnergy& part) {
    kinetic += part.kinetic;
    gravity += part.gravity;
    elastic += part.elastic;
    return *this;
  }
};
/// Energies at (t, q, q̇). Overwrites the kinematics in ws.
Energy energy(const System& system, const At& at, Workspace& ws);
/// The energies of bodies and forces alone. Needs update_kinematics.
Energy energy_without_parts(const System& system, const At& at, Workspace& ws);

/// Fits z, as parts describe it, to the state: Hill muscles in equilibrium.
void settle_parts(const System& system, State& state, Workspace& ws,
                  Settling how = Settling::as_opensim);
/// ż at the last call of update_forces, with the internal state held.
void internal_rates(const System& system, const At& at, Workspace& ws, VecRef zdot);

/// Moves rotation charts that have come near their edge (exponential coordinates beyond 1.5 π) and
/// everything in `state` with them: pose and velocity stay the same. True if any moved.
bool rechart(const System& system, State& state, const Workspace& ws);

/// The derivatives of rechart for the coordinates of one joint, whose first one has the index
/// `first`: q and q̇ after it by q and q̇ before, ∂q₁/∂q = ∂q̇₁/∂q̇.
struct ChartChange {
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                              kMaxJointDofs, kMaxJointDofs>;
  Eigen::Index first;
  Block dq;     ///< ∂q₁/∂q
  Block dqdot;  ///< ∂q̇₁/∂q
};
/// For (q, q̇), which moves along with a state at `reference`.
void update_chart_changes(const System& system, const VecX& reference, const VecX& q,
                          const VecX& qdot, const Workspace& ws, std::vector<ChartChange>& out);

/// Derivatives of a stage of the internal state (at.gamma > 0), by the entries of a state's q.
/// Needs linearize at `at`.
void internal_derivatives(const System& system, const At& at, Workspace& ws,
                          InternalDerivatives& out);

/// ∂f/∂u of the applied forces on all entries of a state's q, a column for each control. Needs
/// update_forces or linearize at `at`. Throws an Error naming an element that does not tell.
void control_derivatives(const System& system, const At& at, Workspace& ws, MatX& out);

}  // namespace sinew
