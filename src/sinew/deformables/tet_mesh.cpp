#include "sinew/deformables/tet_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sinew/core/error.hpp"
#include "sinew/deformables/elements.hpp"
#include "sinew/deformables/point_grid.hpp"

namespace sinew {
namespace {

constexpr double kLargestCoordinate = 1e6;  // m; beyond it the unit is wrong
constexpr double kDegenerate = 1e-9;        // volume over cubed longest edge

/// Corners of the faces, facing outward; face i is opposite corner i.
constexpr int kFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

std::array<int, 3> face_of(const std::array<int, 4>& tet, int i) {
  return {tet[kFace[i][0]], tet[kFace[i][1]], tet[kFace[i][2]]};
}

std::array<int, 3> sorted(std::array<int, 3> face) {
  std::sort(face.begin(), face.end());
  return face;
}

double longest_edge(const TetMesh& mesh, const std::array<int, 4>& tet) {
  double longest = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      longest = std::max(longest, (mesh.vertices[tet[i]] - mesh.vertices[tet[j]]).norm());
  return longest;
}

void check_vertices(const TetMesh& mesh, const std::string& element) {
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3& x = mesh.vertices[i];
    if (x.allFinite() && x.cwiseAbs().maxCoeff() <= kLargestCoordinate) continue;
    throw Error(element,
                fmt::format("vertex {} is at ({:g}, {:g}, {:g})", i + 1, x.x(), x.y(), x.z()),
                fmt::format("coordinates are metres, finite, at most {:g}", kLargestCoordinate));
  }
}

void check_tetrahedra(const TetMesh& mesh, const std::string& element) {
  const auto n = static_cast<int>(mesh.vertices.size());
  for (size_t k = 0; k < mesh.tetrahedra.size(); ++k) {
    const std::array<int, 4>& tet = mesh.tetrahedra[k];
    for (const int v : tet)
      if (v < 0 || v >= n)
        throw Error(
            element,
            fmt::format("tetrahedron {} refers to vertex {}, but there are {}", k + 1, v + 1, n),
            "correct the index");
    const double volume = make_tetrahedron(mesh.vertices, tet).volume;
    const double longest = longest_edge(mesh, tet);
    if (!(std::abs(volume) > kDegenerate * longest * longest * longest))
      throw Error(element,
                  fmt::format("tetrahedron {} (vertices {}, {}, {}, {}) is degenerate: it has no "
                              "volume",
                              k + 1, tet[0] + 1, tet[1] + 1, tet[2] + 1, tet[3] + 1),
                  "remove it, or mesh the solid again");
    if (volume < 0)
      throw Error(element,
                  fmt::format("tetrahedron {} (vertices {}, {}, {}, {}) is inverted", k + 1,
                              tet[0] + 1, tet[1] + 1, tet[2] + 1, tet[3] + 1),
                  "exchange two of its vertices");
  }
}

/// No vertex coincides with another, and each belongs to a tetrahedron.
void check_use(const TetMesh& mesh, const std::string& element) {
  std::vector<char> used(mesh.vertices.size(), 0);
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& tet : mesh.tetrahedra)
    for (int i = 0; i < 4; ++i) {
      used[tet[i]] = 1;
      for (int j = 0; j < i; ++j)
        shortest = std::min(shortest, (mesh.vertices[tet[i]] - mesh.vertices[tet[j]]).norm());
    }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      throw Error(element, fmt::format("vertex {} belongs to no tetrahedron", i + 1),
                  "remove it, or the elements that are not tetrahedra");
  const double same = 1e-6 * shortest;
  std::vector<int> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return mesh.vertices[a].x() < mesh.vertices[b].x(); });
  for (size_t a = 0; a < order.size(); ++a)
    for (size_t b = a + 1; b < order.size(); ++b) {
      const Vec3 &x = mesh.vertices[order[a]], &y = mesh.vertices[order[b]];
      if (y.x() - x.x() > same) break;
      if ((y - x).norm() > same) continue;
      const auto [first, second] = std::minmax(order[a], order[b]);
      throw Error(element,
                  fmt::format("the mesh is torn: vertices {} and {} are at the same place",
                              first + 1, second + 1),
                  "merge vertices that are given more than once");
    }
}

/// Each face belongs to one or two tetrahedra, and faces connect all tetrahedra.
void check_faces(const TetMesh& mesh, const std::string& element) {
  std::map<std::array<int, 3>, std::vector<int>> owners;
  for (size_t k = 0; k < mesh.tetrahedra.size(); ++k)
    for (int i = 0; i < 4; ++i)
      owners[sorted(face_of(mesh.tetrahedra[k], i))].push_back(static_cast<int>(k));
  std::vector<int> piece(mesh.tetrahedra.size());
  std::iota(piece.begin(), piece.end(), 0);
  const auto root = [&](int k) {
    while (piece[k] != k) k = piece[k] = piece[piece[k]];
    return k;
  };
  for (const auto& [face, who] : owners) {
    if (who.size() > 2)
      throw Error(
          element,
          fmt::format("tetrahedra {}, {} and {} share the face of vertices {}, {}, {}", who[0] + 1,
                      who[1] + 1, who[2] + 1, face[0] + 1, face[1] + 1, face[2] + 1),
          "leave two at each face");
    if (who.size() == 2) piece[root(who[1])] = root(who[0]);
  }
  for (size_t k = 1; k < piece.size(); ++k)
    if (root(static_cast<int>(k)) != root(0))
      throw Error(
          element,
          fmt::format("the mesh is torn: no faces join tetrahedron {} to tetrahedron 1", k + 1),
          "merge the vertices between the pieces, or make them separate bodies");
}

/// Whether two tetrahedra overlap by more than rounding: no plane along a face of one or along an
/// edge of each keeps them apart.
bool overlap(const Mat34& a, const Mat34& b, double hair) {
  const auto apart = [&](const Vec3& axis) {
    const double size = axis.norm();
    if (!(size > 0)) return false;
    const Eigen::RowVector4d pa = axis.transpose() * a, pb = axis.transpose() * b;
    return pa.maxCoeff() <= pb.minCoeff() + hair * size ||
           pb.maxCoeff() <= pa.minCoeff() + hair * size;
  };
  const auto edge = [](const Mat34& x, int k) -> Vec3 {
    constexpr int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    return x.col(ends[k][1]) - x.col(ends[k][0]);
  };
  for (const Mat34* x : {&a, &b})
    for (const auto& f : kFace)
      if (apart((x->col(f[1]) - x->col(f[0])).cross(x->col(f[2]) - x->col(f[0])))) return false;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const Vec3 u = edge(a, i), w = edge(b, j), axis = u.cross(w);
      if (axis.norm() > 1e-9 * u.norm() * w.norm() && apart(axis)) return false;
    }
  return true;
}

void check_overlaps(const TetMesh& mesh, const std::string& element) {
  double size = 0;
  std::vector<Box> boxes;
  std::vector<Mat34> corners;
  for (const auto& tet : mesh.tetrahedra) {
    Mat34 x;
    for (int i = 0; i < 4; ++i) x.col(i) = mesh.vertices[tet[i]];
    corners.push_back(x);
    boxes.push_back({x.rowwise().minCoeff(), x.rowwise().maxCoeff()});
    size += longest_edge(mesh, tet) / static_cast<double>(mesh.tetrahedra.size());
  }
  const PointGrid grid(boxes, size);
  std::vector<int> near;
  for (size_t k = 0; k < boxes.size(); ++k) {
    grid.find(boxes[k], near);
    for (const int other : near) {
      if (other <= static_cast<int>(k)) continue;
      if (!boxes[k].meets(boxes[other]) || !overlap(corners[k], corners[other], 1e-7 * size))
        continue;
      throw Error(
          element,
          fmt::format("the mesh intersects itself: tetrahedra {} and {} overlap", k + 1, other + 1),
          "mesh the solid again without folds");
    }
  }
}

}  // namespace

double TetMesh::volume() const {
  double sum = 0;
  for (const auto& tet : tetrahedra) sum += make_tetrahedron(vertices, tet).volume;
  return sum;
}

std::vector<std::array<int, 3>> TetMesh::boundary() const {
  std::map<std::array<int, 3>, int> count;
  for (const auto& tet : tetrahedra)
    for (int i = 0; i < 4; ++i) ++count[sorted(face_of(tet, i))];
  std::vector<std::array<int, 3>> out;
  for (const auto& tet : tetrahedra)
    for (int i = 0; i < 4; ++i)
      if (count[sorted(face_of(tet, i))] == 1) out.push_back(face_of(tet, i));
  return out;
}

void TetMesh::validate(const std::string& element) const {
  if (tetrahedra.empty()) throw Error(element, "has no tetrahedra", "give at least one");
  check_vertices(*this, element);
  check_tetrahedra(*this, element);
  check_use(*this, element);
  check_faces(*this, element);
  check_overlaps(*this, element);
}

std::vector<EmbeddedPoint> embed(const TetMesh& mesh, const std::vector<Vec3>& points,
                                 const std::string& element) {
  std::vector<Tetrahedron> tets;
  for (const auto& tet : mesh.tetrahedra) tets.push_back(make_tetrahedron(mesh.vertices, tet));
  std::vector<EmbeddedPoint> out;
  for (size_t p = 0; p < points.size(); ++p) {
    EmbeddedPoint best;
    double depth = -std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < tets.size() && depth < 0; ++k) {
      const Tetrahedron& tet = tets[k];
      Eigen::Vector4d w = tet.gradient.transpose() * (points[p] - mesh.vertices[tet.corners[0]]);
      w[0] += 1;
      if (w.minCoeff() <= depth) continue;
      depth = w.minCoeff();
      best = {static_cast<int>(k), w};
    }
    if (!(depth > -0.5))
      throw Error(element,
                  fmt::format("vertex {} of the surface lies outside the tetrahedra", p + 1),
                  "give both in the same frame and unit, or a lattice around the surface");
    out.push_back(best);
  }
  return out;
}

}  // namespace sinew
