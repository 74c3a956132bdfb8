#pragma once

#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"

/// Muscles as pictures show them: lines along their paths, with what their mass does.

namespace sinew {

/// A muscle at one state.
struct MuscleDrawing {
  /// Points along the path, world [m]: path points, ends of arcs, and points on arcs. Always as
  /// many as drawing_points says; where the path needs fewer, points are repeated, or, on routes,
  /// added between the others.
  std::vector<Vec3> points;
  /// The points of its path, world [m]; see place_anchors of those that come and go.
  std::vector<Vec3> anchors;
  double kinetic_energy = 0;  ///< of its mass [J]
  Vec3 com = Vec3::Zero();    ///< of its mass, world [m]; zero where it has none
};

/// How many points the muscle's line has.
int drawing_points(const MuscleElement& muscle);
/// The same of all muscles.
std::vector<int> drawing_points(const System& system);

/// Draws a muscle from the scratch, where its paths were updated last: those with mass in the view
/// MuscleView::moving.
void draw_muscle(const MuscleElement& muscle, const PathWorkspace& ws, MuscleDrawing& out);

}  // namespace sinew
