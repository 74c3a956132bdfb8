#pragma once

#include <optional>

#include "sinew/muscles/hill/activation.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/muscles/hill/hill_step.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "sinew/system/muscle_equations.hpp"

/// Hill muscles on a system: docs/theory/hill_muscles.md.

namespace sinew {

/// Proportional control: adds gain · (q − target) to the excitation.
struct ExcitationFeedback {
  DofIndex dof;       ///< of the skeleton; one that does not depend on others
  double gain = 0;    ///< [1/rad or 1/m]
  double target = 0;  ///< [rad or m]
};

/// What makes a path a Hill muscle.
struct HillDescription {
  HillMuscle muscle;
  ActivationDynamics activation;
  TimeFunction excitation = 0.0;
  std::optional<ExcitationFeedback> feedback;
  bool immediate = false;  ///< activation is the excitation, held within its limits
  double initial_activation = 0.05;
  std::optional<double> initial_fibre_length;  ///< [m]; none: in equilibrium
};

/// What a Hill muscle pulls along: a muscle's path, without mass and under 1 N, or a route.
using HillPath = std::variant<std::shared_ptr<const MuscleElement>,
                              std::shared_ptr<const OpenSimPathOnSkeleton>>;

/// A Hill muscle of a system.
struct HillElement {
  int muscle = -1;  ///< its path, of System::muscles(); −1: a route, which is none of them
  HillDescription description;
  HillPath path;

  const std::string& name() const;
  /// Null where the path is a muscle's.
  const OpenSimPathOnSkeleton* route() const;
};

/// Checked. Throws an Error naming the muscle.
std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton, int muscle,
                                                     const Muscle& path,
                                                     const HillDescription& description);
std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton,
                                                     const OpenSimPath& path,
                                                     const HillDescription& description);

/// Where a Hill muscle's internal state is in State::z.
inline Eigen::Index activation_index(size_t hill) { return static_cast<Eigen::Index>(hill); }
inline Eigen::Index fibre_index(const System& system, size_t hill) {
  return static_cast<Eigen::Index>(system.hill_muscles().size() + hill);
}

/// What was found on the way.
struct HillScratch {
  explicit HillScratch(const System& system);

  // add_hill_forces: at the last update
  std::vector<HillTension> tension;
  VecX length, rate;  ///< of paths [m, m/s]

  // one muscle at a time: its route; its pull under 1 N, its derivatives
  OpenSimPathWorkspace route;
  VecX tau;
  std::vector<Vec6> wrench;
  MatX dg_dq, dg_dqdot;
};

/// Adds the muscles' pull at the internal state of `at` to `out`.
void add_hill_forces(const System& system, const SkeletonAt& in, const At& at, ForceForm how,
                     MuscleScratch& muscles, HillScratch& ws, AppliedForces& out);

/// Adds the derivatives of g. Needs add_hill_forces and inverse_dynamics_derivatives in dws;
/// without dws, only what comes from tensions that change.
void add_hill_derivatives(const System& system, const SkeletonAt& in, const double* qddot,
                          const DerivativeWorkspace* dws, MuscleScratch& muscles, HillScratch& ws,
                          MatRef dg_dq, MatRef dg_dqdot);

/// Internal state as descriptions have it: where a fibre length is not given, the optimal one.
VecX described_internal_state(const System& system);

/// Sets the internal state: as described, else in equilibrium at the state's q and q̇. Says how it
/// went for each. Throws an Error naming a muscle whose path has no length.
std::vector<HillStatus> initialize_muscles(const System& system, State& state, Workspace& ws);

/// ż where update_forces was called last, with the internal state held.
void internal_rates(const System& system, const At& at, Workspace& ws, VecRef zdot);

/// All quantities of all Hill muscles at a state.
std::vector<HillValues<double>> hill_values(const System& system, const State& state,
                                            Workspace& ws);

}  // namespace sinew
