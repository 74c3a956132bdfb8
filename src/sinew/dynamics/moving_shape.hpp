#pragma once

#include <string>
#include <vector>

namespace sinew {

/// A line or a surface to draw, whose points move.
struct MovingShape {
  std::string name;
  std::string kind;  ///< lines only: "spring", "cable", "path", "strand"
  int points = 0;
  std::vector<int> triangles = {};  ///< surfaces only: three point indices each
};

}  // namespace sinew
