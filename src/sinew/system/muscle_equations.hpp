#pragma once

#include "sinew/system/workspace.hpp"

/// The muscles' part of the equation of motion. All in the skeleton's coordinates; all need
/// update_kinematics and work at the (t, q, q̇) in `ws`.

namespace sinew {

/// Adds the pull of muscles without mass to `out`.
void add_light_muscles(const System& system, const ForceInput& in, Workspace::Muscles& ws,
                       AppliedForces& out);

/// Adds what muscles with mass ask for to the wrenches in skeleton.F and, of single coordinates,
/// writes it to ws.tau; their pulls' power to `power`. Needs update_link_forces at q̈.
void add_massive_muscles(const System& system, const double* qddot, SkeletonWorkspace& skeleton,
                         Workspace::Muscles& ws, double& power);

/// Adds the mass of muscles to the skeleton's mass matrix.
void add_muscle_mass(const System& system, const SkeletonWorkspace& skeleton,
                     Workspace::Muscles& ws, MatRef M);

/// Adds the muscles' part to M and, where `dws` is given, to the derivatives of g. Needs
/// inverse_dynamics of the system at q̈ and inverse_dynamics_derivatives in dws.
void add_muscle_derivatives(const System& system, const double* qddot,
                            const DerivativeWorkspace* dws, const SkeletonWorkspace& skeleton,
                            Workspace::Muscles& ws, MatRef M, MatRef dg_dq, MatRef dg_dqdot);

/// Kinetic energy and energy of gravity of all muscles with mass.
struct MuscleEnergy {
  double kinetic = 0, gravity = 0;
};
MuscleEnergy muscle_energy(const System& system, SkeletonWorkspace& skeleton,
                           Workspace::Muscles& ws);

}  // namespace sinew
