#pragma once

#include "sinew/muscles/transfer/placed_mass.hpp"

namespace sinew {

/// The bones of a skeleton in a pose. A bone is drawn as lines from its body's centre of mass to
/// the joints of the body: nothing in a model says more about its shape.
class Bones {
 public:
  explicit Bones(const Skeleton& skeleton, const PlacedBodies& bodies);

  /// The bones that a muscle can lie along: those of the bodies between the ones that carry its
  /// points, these included, but for the ground and for bodies lighter than a tenth of the
  /// heaviest of them (kneecaps, ankle bones, toes). Empty if none has mass.
  std::vector<BodyIndex> between_attachments(const Muscle& muscle) const;

  /// The one of the `bones` that is nearest to a point of the world.
  BodyIndex nearest(const std::vector<BodyIndex>& bones, const Vec3& x) const;

 private:
  const Skeleton& skeleton_;
  std::vector<Vec3> centre_;               // per body, world
  std::vector<std::vector<Vec3>> joints_;  // per body: its own and those of its children
};

}  // namespace sinew
