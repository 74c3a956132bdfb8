#pragma once

#include "sinew/report/model.hpp"

/// Lines that move, such as the paths of muscles, and the tubes around them.

namespace sinew {

/// One line per frame, all of the same number of points, world [m].
using LineFrames = std::vector<std::vector<Vec3>>;

double length_of(const std::vector<Vec3>& line);

/// Turns circles around z so that they lie across a line at its points. They turn as little as
/// possible from one to the next, and the first as little as possible from `side`, a direction
/// across the line that is updated: given to the next frame, circles do not spin.
std::vector<Eigen::Quaterniond> across(const std::vector<Vec3>& line, Vec3& side);

/// The flesh of a muscle on its path: a spindle that keeps its volume, between tendons.
class MuscleTube {
 public:
  /// `size`: of the model [m], for muscles whose volume is not known.
  MuscleTube(const DrawnBelly& belly, const LineFrames& paths, double size);

  /// The paths with the same corners and further points: the tendon of the origin, the belly and
  /// the other tendon each have the same number of points in all frames, wherever corners are.
  const LineFrames& lines() const { return lines_; }
  /// Radii at these points [m], per frame.
  std::vector<std::vector<double>> radii() const;
  /// Whether the piece after a point is belly.
  bool fleshy(size_t piece) const { return piece >= first_ && piece < last_; }

 private:
  struct Place {
    double begin, length;
  };
  Place place(double length) const;

  DrawnBelly belly_;
  LineFrames lines_;
  size_t first_ = 0, last_ = 0;  // points at the ends of the belly
  double volume_, tendon_;       // of the belly; radius of the tendon
};

}  // namespace sinew
