#pragma once

#include "sinew/muscles/wrap/wrap.hpp"

namespace sinew {

/// Whether paths pass the surface on the side on which the chord does, chosen anew at each moment:
/// they jump where the chord passes through its middle.
bool chooses_side(const Wrap& wrap);

/// The side on which a path passes the surface, frame S, in units of its radius: if the path
/// touches it, the unit vector from the chord to the middle of the path; if not, from the middle of
/// the surface to where the chord is nearest to it, longer than 1. Zero where no side can be told:
/// past the ends of the chord, and of implicit surfaces that the path does not touch.
Vec3 side_of(const Wrap& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i);

/// Whether a path that passed a surface on the first of these sides and now does on the other has
/// gone over the surface, not around it.
bool passes_over(const Vec3& side, const Vec3& next);

}  // namespace sinew
