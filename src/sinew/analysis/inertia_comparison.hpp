#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

/// What it changes in the moments of a motion that part of the mass is in the muscles and moves
/// with them (000 §6.2.8).

namespace sinew {

/// A model whose bodies have all the mass.
struct BonesModel {
  Skeleton skeleton;
  Vec3 gravity;
  ForceList forces;  ///< external loads among them
  std::vector<Muscle> muscles;
};

/// Moments of all coordinates, a row each, over the samples of a motion, a column each [N m, N].
struct InertiaComparison {
  MatX bones;    ///< all mass on the bodies
  MatX muscles;  ///< part of it in the muscles
  /// What each muscle's mass alone changes. Inverse dynamics is linear in the masses, and so they
  /// add up to `muscles` − `bones`.
  std::vector<MatX> of_muscle;
  MassTransfer transfer;
};

/// Throws what transfer_mass throws, and an Error naming muscle and time where a muscle with mass
/// has no path.
InertiaComparison compare_inertia(const BonesModel& model, const MassPolicy& policy,
                                  const Motion& motion);

/// How two curves of one coordinate differ. Peaks are the largest and the smallest value, changes
/// relative to them; zero where the peak is on the wrong side of zero.
struct MomentDifference {
  double highest = 0, lowest = 0;                ///< of the first curve
  double highest_change = 0, lowest_change = 0;  ///< (second − first) / first, at the peaks
  double rms = 0;                                ///< of the difference
  double largest = 0;                            ///< of |difference|
};
MomentDifference difference(const VecX& first, const VecX& second);

}  // namespace sinew
