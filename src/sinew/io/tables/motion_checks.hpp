#pragma once

#include "sinew/io/tables/motion_target.hpp"
#include "sinew/math/types.hpp"

/// What files say of coordinates, and what is doubtful about it.

namespace sinew {

/// The columns of a file that are coordinates, in radians and metres.
struct CoordinateTable {
  std::string source;       ///< file or option, for messages
  bool in_degrees = false;  ///< what the file claimed before its angles were converted
  std::vector<double> times;
  MatX q;  ///< a row for each time, a column for each coordinate; NaN where nothing is said
};

/// Throws an Error naming the coordinate whose value nothing that moves could have.
void require_plausible(const CoordinateTable& table, const MotionTarget& target);

/// In words, at most one of each kind, with the coordinate that shows it most: angles whose unit is
/// likely not the one that the file claims; values far outside their range; coupled coordinates
/// that are not what their couplings make of the others.
std::vector<std::string> doubts_of(const CoordinateTable& table, const MotionTarget& target);

}  // namespace sinew
