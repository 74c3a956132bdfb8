#pragma once

#include <optional>
#include <span>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"

/// Analysis of muscles along a motion, with OpenSim's names and signs: docs/motion_studies.md.

namespace sinew {

/// Paths that are found anew in every pose, at (q, q̇) of `ws` (update_kinematics).
void update_opensim_paths(const Skeleton& skeleton, const std::vector<OpenSimPath>& paths,
                          const VecX& q, const VecX& qdot, const SkeletonWorkspace& ws,
                          std::vector<MusclePath>& out);

/// A Hill muscle at one instant. Powers are those that the muscle, its fibre or its tendon gives
/// [W]; with F the fibre's force, v its velocity, T the tendon's force, v_t its velocity:
///     −F v = fibre_active + fibre_passive,   fibre + tendon = muscle = −T L̇.
struct HillInstant {
  HillStatus status = HillStatus::no_equilibrium;
  HillValues<double> values{};
  double pennation_rate = 0;       ///< [rad/s]
  double fibre_active_power = 0;   ///< contractile element and damper
  double fibre_passive_power = 0;  ///< parallel spring
  double tendon_power = 0, muscle_power = 0;
};

/// Evaluates at a fibre length [m], or without one in equilibrium (equilibrate).
HillInstant hill_instant(const HillMuscle& muscle, double activation, double length, double rate,
                         std::optional<double> fibre_length = std::nullopt);

/// A table of OpenSim's MuscleAnalysis: a number for each muscle.
struct MuscleQuantity {
  const char* name;  ///< name of the table, e.g. "FiberLength"
  double (*of)(const HillInstant&);
};
/// The tables that need the muscle's force.
std::span<const MuscleQuantity> hill_quantities();

/// A status in words.
const char* name_of(HillStatus status);

}  // namespace sinew
