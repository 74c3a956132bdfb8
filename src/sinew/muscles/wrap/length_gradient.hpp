#pragma once

#include "sinew/muscles/wrap/span.hpp"

/// Length of a span with its derivatives by o and i: all that massless muscles need.

namespace sinew {

inline void straight_gradient(const Vec3& o, const Vec3& i, double& length, Vec3& dl_do,
                              Vec3& dl_di) {
  const Vec3 d = i - o;
  length = d.norm();
  dl_di = d / length;
  dl_do = -dl_di;
}

/// Computed from the derivatives that `shape` carries: works for any model.
template <class W>
void dual_gradient(const W& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i,
                   double& length, Vec3& dl_do, Vec3& dl_di) {
  Point<PathDual> o_d, i_d;
  for (int k = 0; k < 3; ++k) {
    o_d[k] = PathDual::Variable(o[k], k);
    i_d[k] = PathDual::Variable(i[k], k + 3);
  }
  SpanShape<PathDual> shape;
  wrap.template shape<PathDual>(solution, o_d, i_d, shape);
  length = shape.length.v;
  for (int k = 0; k < 3; ++k) {
    dl_do[k] = shape.length.d[static_cast<size_t>(k)];
    dl_di[k] = shape.length.d[static_cast<size_t>(k + 3)];
  }
}

}  // namespace sinew
