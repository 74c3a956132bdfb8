#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/math/spatial_inertia.hpp"

namespace sinew {

/// The solid inside a closed surface of triangles. Seen from outside, the vertices of each triangle
/// run counter-clockwise. Several separate surfaces may make one solid, and a surface that faces
/// inward inside another is a cavity.
struct TriangleMesh {
  std::vector<Vec3> vertices;                 ///< shape frame [m]
  std::vector<std::array<int, 3>> triangles;  ///< indices into `vertices`, from 0

  /// Both by exact integration over the solid; they are meaningful only for a valid mesh.
  double volume() const;
  SpatialInertia inertia(double density) const;

  /// Throws an Error naming `element` and the triangle, edge or vertex (counted from 1, as .obj
  /// files do) unless the mesh bounds a solid: finite, indices in range, no degenerate triangle,
  /// closed, consistently oriented, facing outward.
  void validate(const std::string& element) const;
};

}  // namespace sinew
