#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

/// The change of the moments of a motion when part of the mass is in the muscles and moves with
/// them (Wang 2022 §6.2.8).

namespace sinew {

/// A model whose bodies have all the mass.
struct BonesModel {
  Skeleton skeleton;
  Vec3 gravity;
  ForceList forces;  ///< including external loads
  std::vector<Muscle> muscles;
  std::optional<VecX> reference = std::nullopt;  ///< pose in which bodies give; none: the default
  /// The moments of these are passed on to the coordinates that they follow.
  CoupledCoordinates coupled = {};
};

/// Moments of all coordinates, a row each, over the samples of a motion, a column each [N m, N].
struct InertiaComparison {
  MatX bones;    ///< all mass on the bodies
  MatX muscles;  ///< part of it in the muscles
  /// The change by each muscle's mass alone. Inverse dynamics is linear in the masses, and so they
  /// add up to `muscles` − `bones`.
  std::vector<MatX> of_muscle;
  MassTransfer transfer;
};

/// Throws what transfer_mass throws, and an Error naming muscle and time if a muscle with mass has
/// no path.
InertiaComparison compare_inertia(const BonesModel& model, const MassPolicy& policy,
                                  const Motion& motion);

/// The moments with all mass on the bodies.
MatX moments_with_bones(const BonesModel& model, const Motion& motion);
/// The moments with the mass where the policy puts it. Throws as compare_inertia does.
MatX moments_with_muscles(const BonesModel& model, const MassPolicy& policy, const Motion& motion);
/// How wrong the moments are if the mass and the inertia of every body are wrong by this part of
/// them, each independently of the others: the root of the sum of the squares.
MatX error_of_inertias(const BonesModel& model, const Motion& motion, double part);

/// The difference of two curves of one coordinate. Peaks are the largest and the smallest value,
/// changes relative to them; zero if the peak is on the wrong side of zero.
struct MomentDifference {
  double highest = 0, lowest = 0;                ///< peaks of the first curve
  double highest_change = 0, lowest_change = 0;  ///< (second − first) / first, at the peaks
  double rms = 0;                                ///< rms of the difference
  double largest = 0;                            ///< largest |difference|
};
MomentDifference difference(const VecX& first, const VecX& second);

}  // namespace sinew
