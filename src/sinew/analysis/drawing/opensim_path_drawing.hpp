#pragma once

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

/// Routes as pictures show them: lines with a fixed number of points, however many surfaces a route
/// meets in a pose.

namespace sinew {

/// Chords of an arc. A right angle on a radius of 5 cm then leaves its circle by 0.15 mm.
inline constexpr int kDrawnChords = 10;

/// How many points the line of a route has: what it needs where it meets all its surfaces.
int drawing_points(const OpenSimPath& path);

/// The course of `ws` as a line of drawing_points, world [m]: its nodes, points on its arcs, and in
/// between what is left, evenly. Needs route.update.
void draw_route(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                std::vector<Vec3>& out);

/// Where the points of the path are, world [m]; one that is not part of it in this pose is where
/// the one before it is. Needs route.update.
void place_anchors(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                   std::vector<Vec3>& out);

/// The same line with `count` points, at least as many as it has: all of its own, each as near as
/// can be to the place in the row that its share of the length asks for, and others between them.
/// So the k-th points of two similar lines are near each other, and pictures can be blended.
std::vector<Vec3> spread_points(const std::vector<Vec3>& line, size_t count);

}  // namespace sinew
