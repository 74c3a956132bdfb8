#pragma once

#include "sinew/io/tables/motion_target.hpp"
#include "sinew/math/types.hpp"

/// Coordinates from files, and doubts about them.

namespace sinew {

/// The columns of a file that are coordinates, in radians and metres.
struct CoordinateTable {
  std::string source;       ///< file or option, for messages
  bool in_degrees = false;  ///< the file's claim, before its angles were converted
  std::vector<double> times;
  MatX q;              ///< a row for each time, a column for each coordinate; NaN if missing
  bool poses = false;  ///< rows are poses, counted from 0, not times
  /// What holds for angles, in words.
  std::string units = "files say so by inDegrees=yes in the header, options are always in radians";
};

/// Throws an Error naming the coordinate whose value is impossible.
void require_plausible(const CoordinateTable& table, const MotionTarget& target);

/// Doubts in words, at most one of each kind, with the worst coordinate: angles whose unit is
/// probably not the one that the file claims; values far outside their range; coupled coordinates
/// that contradict their couplings.
std::vector<std::string> doubts_of(const CoordinateTable& table, const MotionTarget& target);
/// Of values that a run has computed: those far outside their range.
std::vector<std::string> doubts_of_results(const CoordinateTable& table,
                                           const MotionTarget& target);

}  // namespace sinew
