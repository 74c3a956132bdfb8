#pragma once

#include "sinew/muscles/opensim/segment_wrap.hpp"

/// The wrap of a segment around an ellipsoid (docs/theory/opensim_paths.md, ellipsoids).
///
/// A plane through the segment cuts the ellipsoid in an ellipse, with one path around it: tangent,
/// arc, tangent. Turning the plane about the segment gives a family of paths all around the
/// surface; near each of its shortest members is a geodesic, the path wanted.

namespace sinew {

/// The path in the plane through p1, p2 and the point c, on the side of c. Everything here is in
/// frame S.
SegmentWrap meet_section(const Vec3& radii, const Vec3& p1, const Vec3& p2, const Vec3& c);

/// The point of the ellipsoid through which OpenSim lays its plane (its method `hybrid`), and
/// whether it had to be moved to the half-space that the surface requires. The segment must hit the
/// ellipsoid.
struct SectionGuide {
  Vec3 c;
  bool moved = false;
};
SectionGuide section_guide(const Vec3& radii, const PathSurface& surface, const Vec3& p1,
                           const Vec3& p2);

/// The segment from p1 to p2: the shortest geodesic on the side asked for. Where none is, or the
/// guide had to be moved and its section is shorter and on that side, that section, as in OpenSim:
/// its arc is then a little shorter than the curve, the length of OpenSim's polyline in it.
SegmentWrap meet_ellipsoid(const Vec3& radii, const PathSurface& surface, const Vec3& p1,
                           const Vec3& p2);

}  // namespace sinew
