#pragma once

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

/// Routes for pictures: lines with a fixed number of points, for any number of surfaces that a
/// route meets in a pose.

namespace sinew {

/// Chords of an arc. A right angle on a radius of 5 cm then leaves its circle by 0.15 mm.
inline constexpr int kDrawnChords = 10;

/// The number of points of a route's line: enough for a pose in which it meets all its surfaces.
int drawing_points(const OpenSimPath& path);

/// The course of `ws` as a line of drawing_points, world [m]: its nodes, points on its arcs, and
/// the remaining ones evenly in between. Needs route.update.
void draw_opensim_path(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                       std::vector<Vec3>& out);

/// The points of the path, world [m]; one that is not part of it in this pose coincides with the
/// one before it. Needs route.update.
void place_anchors(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                   std::vector<Vec3>& out);

/// The same line with `count` points, at least as many as it has: all of its own, each with an
/// index as close as possible to its share of the length, and others between them. So the k-th
/// points of two similar lines are near each other, and pictures can be blended.
std::vector<Vec3> spread_points(const std::vector<Vec3>& line, size_t count);

}  // namespace sinew
