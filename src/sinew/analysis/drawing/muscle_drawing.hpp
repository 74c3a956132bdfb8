#pragma once

#include "sinew/muscles/path/muscle_element.hpp"
#include "sinew/system/equations.hpp"

/// Muscles for pictures: lines along their paths, with the effects of their mass.

namespace sinew {

/// A muscle at one state.
struct MuscleDrawing {
  /// Points along the path, world [m]: path points, ends of arcs, and points on arcs. Their number
  /// is always drawing_points; if the path needs fewer, points are repeated or, on routes, added
  /// between the others.
  std::vector<Vec3> points;
  /// The points of its path, world [m]; see place_anchors for conditional ones.
  std::vector<Vec3> anchors;
  double kinetic_energy = 0;  ///< kinetic energy of its mass [J]
  Vec3 com = Vec3::Zero();    ///< centre of its mass, world [m]; zero if it has none
};

/// The number of points of the muscle's line.
int drawing_points(const Muscle& muscle);
/// The same for all of list_muscles.
std::vector<int> drawing_points(const System& system);

/// All of list_muscles. Runs update_kinematics.
void update_muscle_drawings(const System& system, const At& at, Workspace& ws,
                            std::vector<MuscleDrawing>& out);

}  // namespace sinew
