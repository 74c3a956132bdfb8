#pragma once

#include "sinew/io/osim/frames.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/model/joint.hpp"

namespace sinew {

/// A coordinate of a joint in the file.
struct OsimCoordinateReading {
  OsimCoordinate coordinate;
  OsimElement element;
  std::optional<ScalarFunction> prescribed;  ///< function of time
};

/// A joint of the file: six functions of its coordinates between two frames.
struct OsimJoint {
  OsimElement element;
  std::string name;
  OsimFrame parent, child;  ///< the joint's frames on the two bodies
  std::vector<OsimCoordinateReading> coordinates;
  std::array<TransformAxis, 3> rotation, translation;

  /// The joint from `parent` to `child`, or the other way round. Without a moving coordinate it is
  /// Fixed, and `offset` the constant pose it holds.
  Joint make(bool reversed, Pose& offset) const;
};

/// A joint element; `owner` is the name of the body that holds it in 3.x documents.
OsimJoint read_osim_joint(const OsimElement& in, const OsimFrames& frames,
                          const std::string& owner);

}  // namespace sinew
