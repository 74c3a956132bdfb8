#include "sinew/model/mesh_thinning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sinew {
namespace {

using Cell = std::array<int, 3>;

TriangleMesh clustered(const TriangleMesh& mesh, double cell, const Vec3& corner) {
  std::map<Cell, int> cells;
  std::vector<int> target(mesh.vertices.size()), count;
  TriangleMesh out;
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3 at = (mesh.vertices[i] - corner) / cell;
    const auto [found, fresh] = cells.emplace(
        Cell{static_cast<int>(at[0]), static_cast<int>(at[1]), static_cast<int>(at[2])},
        static_cast<int>(out.vertices.size()));
    if (fresh) {
      out.vertices.push_back(Vec3::Zero());
      count.push_back(0);
    }
    const auto k = static_cast<size_t>(found->second);
    target[i] = found->second;
    out.vertices[k] += mesh.vertices[i];
    ++count[k];
  }
  for (size_t k = 0; k < count.size(); ++k) out.vertices[k] /= count[k];
  std::set<Cell> seen;
  for (const auto& t : mesh.triangles) {
    Cell corners;
    for (size_t j = 0; j < 3; ++j) corners[j] = target[static_cast<size_t>(t[j])];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    // The same corners in the same orientation, the smallest first.
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    if (seen.insert(corners).second) out.triangles.push_back(corners);
  }
  return out;
}

}  // namespace

TriangleMesh thinned(const TriangleMesh& mesh, size_t most) {
  most = std::max<size_t>(most, 12);
  if (mesh.triangles.size() <= most) return mesh;
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& x : mesh.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  // The triangles left are about as many as the cells crossed: area over squared cell size.
  double cell = (high - low).norm() / std::sqrt(static_cast<double>(most));
  TriangleMesh out = clustered(mesh, cell, low);
  while (out.triangles.size() > most) {
    cell *= 1.25;
    out = clustered(mesh, cell, low);
  }
  return out;
}

}  // namespace sinew
