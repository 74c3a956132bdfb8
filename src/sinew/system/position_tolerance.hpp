#pragma once

#include <algorithm>
#include <limits>

#include "sinew/system/workspace.hpp"

/// The accuracy of corrections of positions: with coordinates of size s, differences of positions
/// are accurate to a few ε s.

namespace sinew {

/// Target of a correction, and the error accepted if rounding stops it earlier [m, rad].
inline double position_tolerance(double size) {
  return std::max(1e-12, 8 * std::numeric_limits<double>::epsilon() * size);
}
inline double position_limit(double size) {
  return std::max(1e-9, 1000 * std::numeric_limits<double>::epsilon() * size);
}

/// Lengths and angles of the system, at least 1; links as kinematics left them.
inline double size_with_links(const Workspace& ws, const VecX& q) {
  double size = std::max(1.0, q.lpNorm<Eigen::Infinity>());
  for (const LinkMotion& m : ws.skeleton.link) size = std::max(size, m.p.lpNorm<Eigen::Infinity>());
  return size;
}

}  // namespace sinew
