#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// A solid filled with tetrahedra. Each has a positive volume: seen from its last corner, the other
/// three run clockwise.
struct TetMesh {
  std::vector<Vec3> vertices;                  ///< [m]
  std::vector<std::array<int, 4>> tetrahedra;  ///< indices into `vertices`, from 0

  double volume() const;
  /// Faces that belong to one tetrahedron only, facing outward.
  std::vector<std::array<int, 3>> boundary() const;

  /// Throws an Error naming `element` and the vertex or tetrahedron (counted from 1, as files do)
  /// unless the mesh is one sound solid: finite, indices in range, no tetrahedron degenerate or
  /// inverted, no vertex without tetrahedra or on top of another, no face shared by three, in one
  /// piece across faces, and no two tetrahedra in the same place.
  void validate(const std::string& element) const;
};

/// The tetrahedra of a lattice whose cells touch the inside of a closed surface, five to a cell.
/// `spacing` are the edges of a cell along x, y and z [m]; the lattice is centred on the surface's
/// box. Throws an Error naming `element` for a surface that is not closed or passes through itself,
/// or a lattice of more than a million cells.
TetMesh lattice_around(const TriangleMesh& surface, const Vec3& spacing,
                       const std::string& element);

/// A point that moves with a tetrahedron: Σ weight_i x_i.
struct EmbeddedPoint {
  int tetrahedron = 0;
  Eigen::Vector4d weights;
};

/// The places of points in a mesh at rest, each in the tetrahedron that holds it, or in the nearest
/// one for points slightly outside. Throws an Error naming `element` and the point if it is farther
/// out than half a tetrahedron's height.
std::vector<EmbeddedPoint> embed(const TetMesh& mesh, const std::vector<Vec3>& points,
                                 const std::string& element);

}  // namespace sinew
