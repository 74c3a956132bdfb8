#pragma once

#include "sinew/muscles/path/span_path.hpp"

/// The source of the mass of muscles. Segment masses of published models already contain the
/// muscles: mass given to a muscle must be taken from the bodies. Derivation:
/// docs/theory/mass_transfer.md.

namespace sinew {

/// Each stretch of a muscle is taken, with its mass, first and second moments in the reference
/// pose, from the body that it lies along: that of the nearest path point along the path, excluding
/// the ground. Mass, centre of mass and inertia of the whole model in that pose stay.
struct MomentsPolicy {
  double share = 1;              ///< factor on the masses of all muscles, ≥ 0
  std::vector<BodyIndex> hosts;  ///< per muscle: the body that gives everything; empty or invalid:
                                 ///< the bodies that it lies along
};

/// Part of a body's mass, divided among muscles (Wang 2022 §6.2.8).
struct SegmentShare {
  struct Part {
    std::string muscle;
    double ratio = 1;  ///< > 0; only the ratios within a segment matter
  };
  BodyIndex body;
  double share = 0;  ///< share of the body's mass, in [0, 1)
  std::vector<Part> parts;
};

/// Mass and inertia of segments are multiplied by 1 − share, centres of mass stay; the masses of
/// the muscles follow. The mass of the whole model stays.
struct ScalePolicy {
  std::vector<SegmentShare> segments;
};

/// Each stretch of a muscle is taken, with its mass, first and second moments in the reference
/// pose, from the bone that it lies beside (Bones). Mass, centre of mass and inertia of the whole
/// model in that pose stay. Where a body cannot give all that is wanted, the muscles along it get
/// less (fair_shares). This works for every model.
struct BonesPolicy {
  double share = 1;     ///< factor on the masses of all muscles, ≥ 0
  double keep = 0.1;    ///< the part of its mass and of its inertia that a body keeps, in [0, 1]
  bool strict = false;  ///< an Error where a body cannot give all
};

using MassPolicy = std::variant<MomentsPolicy, ScalePolicy, BonesPolicy>;

/// The mass that one body gave to one muscle.
struct MassMove {
  BodyIndex body;
  int muscle = 0;        ///< index into the list
  SpatialInertia taken;  ///< body frame, at its origin
  double share = 0;      ///< share of the mass that the body had
};

/// A body that gave mass, in its own frame.
struct InertiaChange {
  BodyIndex body;
  SpatialInertia before, after;

  Vec3 com_change() const { return after.com() - before.com(); }
  /// Each about its own centre of mass.
  Mat3 inertia_change() const { return after.central_inertia() - before.central_inertia(); }
};

/// The model after the transfer, and the report of what was moved.
struct MassTransfer {
  Skeleton skeleton;            ///< with the remaining inertias
  std::vector<Muscle> muscles;  ///< with their masses
  std::vector<MassMove> moves;  ///< muscle by muscle, or segment by segment
  std::vector<double> wanted;   ///< per muscle: the mass that it was to get [kg]
  std::vector<InertiaChange> bodies;
  /// The whole model in the reference pose, world frame: bodies before; bodies and muscles after.
  SpatialInertia total_before, total_after;
  std::vector<SpanStatus> status;  ///< per muscle in the reference pose, the worst of its spans

  double moved() const;  ///< from bodies to muscles [kg]
};

/// Throws an Error naming body and muscle if a body would have to give mass it does not have, with
/// the largest share that works; a BonesPolicy only if it is strict. The reference pose is that of
/// the default coordinates if none is given.
MassTransfer transfer_mass(const Skeleton& skeleton, std::vector<Muscle> muscles,
                           const MassPolicy& policy,
                           const std::optional<VecX>& reference_pose = std::nullopt);

/// The same muscle with another mass. Its profile stays, even if the mass is zero and the muscle
/// thus only a path.
Muscle with_mass(Muscle muscle, double mass);

}  // namespace sinew
