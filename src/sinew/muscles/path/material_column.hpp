#pragma once

#include "sinew/muscles/path/span_path.hpp"

namespace sinew {

/// ∂x_α/∂q of a material point by the muscle's coordinate `local`: axes of the frame S of its span.
/// Needs update and update_length_gradient.
inline Vec3 material_column(const SpanPathWorkspace& ws, const PathSample<double>& at,
                            size_t local) {
  const auto j = static_cast<size_t>(at.span);
  const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
  const double s = at.by_length * ws.dL[local] - ws.dc[j * ws.dL.size() + local];
  return S.shift[local] + S.turn[local].cross(at.y) + at.dy.leftCols<3>() * S.x[0][local] +
         at.dy.middleCols<3>(3) * S.x[1][local] + at.dy.col(6) * s;
}

}  // namespace sinew
