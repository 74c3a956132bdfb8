#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/constraints/contact/contact_shape.hpp"
#include "sinew/model/skeleton.hpp"

/// Finds the pairs among many shapes that may be touching.

namespace sinew {

/// Selects the pairs of shapes to test. It omits two shapes of one body or of bodies welded
/// together, of a body and its parent, and of bodies the user excludes. The world does not count as
/// a parent: a body that hangs from it, or floats freely, must still be able to hit the ground.
class PairFilter {
 public:
  /// `body_of_shape[k]` carries shape k; kWorld for the ground. `excluded` pairs of bodies may name
  /// kWorld and come in any order. Throws an Error for an index that is not a body.
  PairFilter(const Skeleton& skeleton, std::span<const BodyIndex> body_of_shape,
             std::span<const std::pair<BodyIndex, BodyIndex>> excluded);

  bool allows(int shape_i, int shape_j) const;
  int shape_count() const { return static_cast<int>(carriers_.size()); }

 private:
  struct Carrier {
    int body, link, parent_link;  ///< link 0 is the world
  };
  std::vector<Carrier> carriers_;        // per shape
  std::vector<std::uint64_t> excluded_;  // pairs of bodies as one number each, sorted
};

/// Indices of shapes, a < b.
struct ShapePair {
  int a, b;
  auto operator<=>(const ShapePair&) const = default;
};

/// Sorts the boxes along the axis on which they are most spread and sweeps over them. Holds only
/// scratch: its result depends on the arguments alone.
class BroadPhase {
 public:
  /// Overwrites `pairs` with all pairs whose bounds overlap or touch and that the filter allows,
  /// sorted. One box per shape; a box that holds a NaN touches nothing. Once scratch and `pairs`
  /// are large enough, nothing is allocated.
  void update_pairs(std::span<const Aabb> bounds, const PairFilter& filter,
                    std::vector<ShapePair>& pairs);

 private:
  struct Entry {
    Aabb box;
    int shape;
  };
  std::vector<Entry> sorted_;
};

}  // namespace sinew
