#pragma once

#include "sinew/math/dense_solve.hpp"
#include "sinew/muscles/fast/cylinder_muscle_batch.hpp"
#include "sinew/muscles/fast/polyline_muscle_batch.hpp"
#include "sinew/system/energy_variables.hpp"

/// The muscles' part of the equation of motion. All in the skeleton's coordinates; all need
/// update_kinematics at the state of `in`.

namespace sinew {

/// Scratch of all that muscles do in a step.
struct MuscleScratch {
  explicit MuscleScratch(const Skeleton& skeleton)
      : tau(skeleton.dof_count()),
        wrench(static_cast<size_t>(skeleton.link_count())),
        sums(skeleton) {}
  // of one muscle at a time
  MuscleWorkspace path;
  MuscleBlockWorkspace spanned;
  // of those that go eight at a time, and of straight ones; made on first use
  std::unique_ptr<const CylinderMuscleBatch> lanes;
  CylinderMuscleBatch::Workspace lane;
  std::unique_ptr<const PolylineMuscleBatch> straight;
  PolylineMuscleBatch::Workspace polygon;
  // update_tensions: of all muscles [N]
  std::vector<double> tension;
  // forces of muscles: on coordinates; on links, world axes about their origins
  VecX tau;
  std::vector<Vec6> wrench;
  // muscles with mass, all together; the mass matrix with them
  MuscleSums sums;
  MatX M;
  EnvelopeFactor mass;
  // integrators that carry w = Lᵀq̇ instead of q̇
  EnergyVariables energy;
  /// The first muscle with mass whose tendons left no room for its belly when forces were last
  /// asked for, of System::muscles(); −1 where all have some.
  int vanished_belly = -1;
};

/// How forces of muscles are wanted: as wrenches on every link, which derivatives need, or as is
/// fastest.
enum class ForceForm { wrenches, fast };

/// Tensions of all muscles, from the values of System::controls(); zero for those of Hill muscles.
void update_tensions(const System& system, const double* controls, MuscleScratch& ws);

/// Adds the pull of muscles without mass to `out`. Needs update_tensions; so do the next three.
void add_massless_muscles(const System& system, const SkeletonAt& in, ForceForm how,
                          MuscleScratch& ws, AppliedForces& out);

/// What muscles with mass ask for, as wrenches on the links: added to skeleton.F and, of single
/// coordinates, written to ws.tau; the power of their pulls added to `power`. Needs
/// update_link_forces at q̈.
void add_muscle_wrenches(const System& system, const SkeletonAt& in, const double* qddot,
                         SkeletonWorkspace& skeleton, MuscleScratch& ws, double& power);

/// The same the fast way, with their inertia: forces on coordinates and all inertia go to ws.sums,
/// the rest of the wrenches is added to `wrench`.
void update_muscle_sums(const System& system, const SkeletonAt& in, const double* qddot,
                        MuscleScratch& ws, std::vector<Vec6>& wrench, double& power);

/// Adds the muscles' part to M and, where `dws` is given, to the derivatives of g. Needs
/// inverse_dynamics of the system at q̈ and inverse_dynamics_derivatives in dws.
void add_muscle_derivatives(const System& system, const SkeletonAt& in, const double* qddot,
                            const DerivativeWorkspace* dws, MuscleScratch& ws, MatRef M,
                            MatRef dg_dq, MatRef dg_dqdot);

/// Kinetic energy and energy of gravity of all muscles with mass.
struct MuscleEnergy {
  double kinetic = 0, gravity = 0;
};
MuscleEnergy muscle_energy(const System& system, const SkeletonAt& in, SkeletonWorkspace& skeleton,
                           MuscleScratch& ws);

}  // namespace sinew
