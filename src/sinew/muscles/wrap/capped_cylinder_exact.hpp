#pragma once

#include "sinew/muscles/wrap/capped_cylinder_wrap.hpp"

/// The shortest path around the capped cylinder with a sharp seam at z = 0 (no rounding): around
/// the cylinder alone, over the cap alone, or over both, crossing the seam once where the tangents
/// of helix and great circle agree. Everything has a closed form except the place of that crossing.

namespace sinew::capped {

SpanSolution solve_exact(const CappedCylinderWrap& wrap, const Vec3& o, const Vec3& i);

template <class T>
void exact_shape(const CappedCylinderWrap& wrap, const SpanSolution& solution, const Point<T>& o,
                 const Point<T>& i, SpanShape<T>& out);

}  // namespace sinew::capped
