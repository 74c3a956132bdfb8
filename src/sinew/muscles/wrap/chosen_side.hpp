#pragma once

#include "sinew/muscles/wrap/wrap.hpp"

namespace sinew {

/// Whether paths pass the surface on the side on which the chord does, chosen anew at each moment:
/// they jump where the chord passes through its middle.
bool chooses_side(const Wrap& wrap);

/// Where the middle of the path is as seen from the chord, frame S [m]; zero if the path touches
/// nothing.
Vec3 side_of(const Wrap& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i);

}  // namespace sinew
