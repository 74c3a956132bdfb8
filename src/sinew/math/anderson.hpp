#pragma once

#include <deque>

#include "sinew/math/types.hpp"

namespace sinew {

/// Anderson's acceleration (1965) of an iteration x ← x + Δ(x) that converges slowly along a few
/// directions: finds, from the last iterates, where Δ would vanish if it were linear in x.
class AndersonMemory {
 public:
  explicit AndersonMemory(int memory) : memory_(static_cast<size_t>(memory)) {}

  void clear();
  bool empty() const { return moves_.empty(); }
  /// Δ at x, of which the iterate before is remembered.
  void add(const VecX& x, const VecX& step);
  /// The step from the last x to where Δ is expected to be smallest, and its own there added.
  VecX extrapolated() const;

 private:
  size_t memory_;
  VecX x_, step_;                     // the last ones
  std::deque<VecX> moves_, changes_;  // of x and of Δ between iterates
};

}  // namespace sinew
