#pragma once

#include "sinew/report/report_geometry.hpp"

/// Triangles of drawn solids.

namespace sinew {

struct SolidMesh {
  std::vector<double> vertices, normals;  ///< three each [m]
  std::vector<int> triangles;             ///< three each, counter-clockwise seen from outside

  void add_vertex(const Vec3& x, const Vec3& n);
  int vertex_count() const { return static_cast<int>(vertices.size() / 3); }
};

/// In the frame of the shape. Meshes get normals that are smooth over their edges.
SolidMesh solid_mesh(const DrawnForm& form);

/// A bone between two points: slender in the middle, round at its ends.
SolidMesh bone_mesh(const Vec3& from, const Vec3& to);

}  // namespace sinew
