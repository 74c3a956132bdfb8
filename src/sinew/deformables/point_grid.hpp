#pragma once

#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// A box along the axes.
struct Box {
  Vec3 low, high;
  bool meets(const Box& o) const {
    return (low.array() <= o.high.array()).all() && (o.low.array() <= high.array()).all();
  }
};

/// Finds boxes near others without testing every pair: boxes are stored under the cells of a
/// lattice that they touch, cells under their hash.
class PointGrid {
 public:
  PointGrid(const std::vector<Box>& boxes, double cell);
  /// Indices of the boxes that may meet `box`, ascending, each once.
  void find(const Box& box, std::vector<int>& out) const;

 private:
  template <class Visit>
  void for_cells(const Box& box, Visit&& visit) const;

  double cell_;
  std::vector<std::vector<int>> bins_;
};

}  // namespace sinew
