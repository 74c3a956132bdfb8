#pragma once

#include "sinew/deformables/soft_body.hpp"

namespace sinew::test {

/// A block from the origin to `size`, of cells with six tetrahedra around one diagonal.
inline TetMesh block_mesh(int nx, int ny, int nz, const Vec3& size) {
  TetMesh mesh;
  const auto at = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i)
        mesh.vertices.push_back(
            size.cwiseProduct(Vec3(double(i) / nx, double(j) / ny, double(k) / nz)));
  constexpr int paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const auto corner = [&](int c) { return at(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)); };
        for (const auto& p : paths)
          mesh.tetrahedra.push_back({corner(0), corner(p[0]), corner(p[1]), corner(7)});
      }
  return mesh;
}

inline Points positions(const TetMesh& mesh) {
  Points x(3, static_cast<Eigen::Index>(mesh.vertices.size()));
  for (size_t i = 0; i < mesh.vertices.size(); ++i)
    x.col(static_cast<Eigen::Index>(i)) = mesh.vertices[i];
  return x;
}

/// The surface of a block as triangles.
inline TriangleMesh block_surface(const Vec3& low, const Vec3& high) {
  TriangleMesh mesh;
  for (int c = 0; c < 8; ++c)
    mesh.vertices.push_back(
        {(c & 1 ? high : low).x(), (c & 2 ? high : low).y(), (c & 4 ? high : low).z()});
  constexpr int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& f : faces) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh;
}

}  // namespace sinew::test
