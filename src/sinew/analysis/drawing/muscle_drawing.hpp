#pragma once

#include "sinew/muscles/muscle_element.hpp"
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

/// How many points the muscle's line has.
int drawing_points(const MuscleElement& muscle);
/// The same of all muscles.
std::vector<int> drawing_points(const System& system);

/// Draws a muscle from the scratch, where its paths were updated last: those with mass in the view
/// MuscleView::moving.
void draw_muscle(const MuscleElement& muscle, const PathWorkspace& ws, MuscleDrawing& out);

}  // namespace sinew
