#pragma once

#include "sinew/math/types.hpp"

namespace sinew {

/// The angles of R = Rx(a) Ry(b) Rz(c) [rad], b from −π/2 to π/2: body-fixed rotations about x, y
/// and z, OpenSim's convention. Where b is ±π/2 only a ± c is determined, and c is 0.
Vec3 body_fixed_xyz(const Mat3& R);

}  // namespace sinew
