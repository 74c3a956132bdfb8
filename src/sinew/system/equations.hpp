#pragma once

#include "sinew/system/workspace.hpp"

/// The narrow waist: integrators see one equation, M(q) q̈ = f(t, q, q̇), and its derivatives; never
/// a list of ingredients.

namespace sinew {

/// Kinematics and applied forces at (t, q, q̇). The functions below say whether they need it.
void update(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
            Workspace& ws);

/// q̈ at (t, q, q̇). Runs update.
void forward_dynamics(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                      Workspace& ws, VecRef qddot);

/// Residual g = M q̈ − f: the generalised forces missing for the accelerations q̈. Runs update.
void inverse_dynamics(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
                      const ConstVecRef& qddot, Workspace& ws, VecRef g);

/// Writes g and its derivatives. Runs update. `kind` reference leaves out what the reference does
/// (see JacobianKind).
void linearize(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
               const ConstVecRef& qddot, JacobianKind kind, Workspace& ws, VecRef g,
               Linearization& out);

/// Derivatives of q̈ = M⁻¹ f with respect to q, q̇ and an additional generalised force (= M⁻¹).
struct ForwardDerivatives {
  MatX dqddot_dq, dqddot_dqdot, dqddot_dtau;
};
void forward_dynamics_derivatives(const System& system, double t, const ConstVecRef& q,
                                  const ConstVecRef& qdot, Workspace& ws, VecRef qddot,
                                  ForwardDerivatives& out);

/// Generalised momentum p = ∂L/∂q̇ = M q̇ and ∂L/∂q + (applied forces that have no potential): the
/// right-hand sides of Hamilton's principle, in one O(n) pass. Runs update.
void momentum_and_force(const System& system, double t, const ConstVecRef& q,
                        const ConstVecRef& qdot, Workspace& ws, VecRef p, VecRef dL_dq);

/// x = M⁻¹ (b − p + c ∂L/∂q) with the p and ∂L/∂q of momentum_and_force, in one go: the correction
/// of q̇ that an implicit step in momenta asks for. With `factor` false it makes do with the factors
/// of M that are there, of a nearby q. Runs update; writes dL_dq too.
void momentum_correction(const System& system, double t, const ConstVecRef& q,
                         const ConstVecRef& qdot, const ConstVecRef& b, double c, bool factor,
                         Workspace& ws, VecRef dL_dq, VecRef x);

/// The mass matrix's factorisation at the q of the last update, and x = M⁻¹ b with it; b and x may
/// be the same vector. forward_dynamics leaves the factors behind too.
void factor_mass_matrix(const System& system, Workspace& ws);
void solve_mass_matrix(const System& system, Workspace& ws, const ConstVecRef& b, VecRef x);

struct Energy {
  double kinetic = 0;
  double gravity = 0;  ///< zero where a centre of mass is at the world's origin
  double elastic = 0;  ///< springs and joint stiffness
  double potential() const { return gravity + elastic; }
  double total() const { return kinetic + gravity + elastic; }
};
/// Energies at (t, q, q̇). Overwrites the kinematics in ws.
Energy energy(const System& system, double t, const ConstVecRef& q, const ConstVecRef& qdot,
              Workspace& ws);

/// Moves rotation charts that have come near their edge (exponential coordinates beyond 1.5 π) and
/// everything in `state` with them: pose and velocity stay the same. True if any moved.
bool rechart(const System& system, State& state);

}  // namespace sinew
