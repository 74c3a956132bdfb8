#pragma once

#include <vector>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// The signed distance from a closed mesh of triangles, negative inside. The sign is that of the
/// pseudonormal of the nearest face, edge or vertex: the sum of the normals of the faces that meet
/// there, at vertices weighted by their angles, which is correct for every closed mesh.
class MeshDistance {
 public:
  /// The mesh must be valid (TriangleMesh::validate).
  explicit MeshDistance(const TriangleMesh& mesh);

  double operator()(const Vec3& x) const;
  Vec3 lowest() const { return nodes_[0].low; }  ///< corners of the box around the mesh
  Vec3 highest() const { return nodes_[0].high; }

 private:
  struct Triangle {
    std::array<Vec3, 3> x;
    Vec3 face;                         ///< unit normal
    std::array<Vec3, 3> edge, vertex;  ///< pseudonormals; edge k is opposite vertex k
  };
  /// A box around triangles [first, last), with two children unless `left` is 0.
  struct Node {
    Vec3 low, high;
    size_t first, last;
    size_t left = 0, right = 0;
  };
  struct Nearest {
    double distance2;
    Vec3 offset, pseudonormal;  ///< x − nearest point
  };

  size_t build(size_t first, size_t last);
  void search(size_t node, const Vec3& x, Nearest& best) const;
  static void visit(const Triangle& triangle, const Vec3& x, Nearest& best);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
};

}  // namespace sinew
