#pragma once

#include "sinew/core/index.hpp"
#include "sinew/math/types.hpp"

namespace sinew {

/// The surface touched: the plane through `point` with the solid side behind `normal`, in the frame
/// of a body or of the world.
struct ContactPlane {
  BodyIndex body = kWorld;
  Vec3 point = Vec3::Zero();    ///< [m]
  Vec3 normal = Vec3::UnitY();  ///< out of the solid; any length except zero
};

}  // namespace sinew
