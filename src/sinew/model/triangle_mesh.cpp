#include "sinew/model/triangle_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/core/error.hpp"

// The solid is the signed sum of the tetrahedra (o, a, b, c) between a reference point o and the
// triangles. For one of them, with a, b, c relative to o and s = a + b + c,
//     V = a·(b×c)/6,   ∫ x dV = V s/4,   ∫ x xᵀ dV = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20.
// o in the middle of the mesh keeps the terms as small as the result wherever the mesh lies.

namespace sinew {
namespace {

constexpr double kLargestCoordinate = 1e6;  // m; beyond it the unit is wrong
// Area over squared longest edge, and volume over cubed extent, below which it counts as zero.
constexpr double kDegenerate = 1e-12;

struct Moments {
  Vec3 o = Vec3::Zero();       // reference point
  double V = 0;                // ∫ dV
  Vec3 first = Vec3::Zero();   // ∫ (x − o) dV
  Mat3 second = Mat3::Zero();  // ∫ (x − o)(x − o)ᵀ dV
};

Moments integrate(const TriangleMesh& mesh) {
  Moments m;
  for (const auto& t : mesh.triangles)
    for (int i : t) m.o += mesh.vertices[i];
  if (!mesh.triangles.empty()) m.o /= 3.0 * static_cast<double>(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](int k) -> Vec3 { return mesh.vertices[t[k]] - m.o; };
    const Vec3 a = corner(0), b = corner(1), c = corner(2), s = a + b + c;
    const double V = a.dot(b.cross(c)) / 6;
    m.V += V;
    m.first += V / 4 * s;
    m.second +=
        V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return m;
}

/// An edge of a triangle, its vertices in ascending order.
struct Edge {
  int low, high;
  bool forward;  // the triangle runs from low to high
  int triangle;
  bool operator<(const Edge& o) const {
    return std::tie(low, high, triangle) < std::tie(o.low, o.high, o.triangle);
  }
};

void check_vertices(const TriangleMesh& mesh, const std::string& element) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3& x = mesh.vertices[i];
    if (x.allFinite() && x.cwiseAbs().maxCoeff() <= kLargestCoordinate) continue;
    throw Error(element,
                fmt::format("vertex {} is at ({:g}, {:g}, {:g})", i + 1, x.x(), x.y(), x.z()),
                fmt::format("coordinates are metres, finite, at most {:g}", kLargestCoordinate));
  }
}

void check_triangles(const TriangleMesh& mesh, const std::string& element) {
  const auto n = static_cast<int>(mesh.vertices.size());
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const auto [i, j, l] = mesh.triangles[k];
    for (int v : {i, j, l}) {
      if (v >= 0 && v < n) continue;
      throw Error(element,
                  fmt::format("triangle {} refers to vertex {}, but there are {}", k + 1, v + 1, n),
                  "correct the index");
    }
    const Vec3 &a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[l];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if ((b - a).cross(c - a).norm() > kDegenerate * longest * longest) continue;
    throw Error(
        element,
        fmt::format("triangle {} (vertices {}, {}, {}) has no area", k + 1, i + 1, j + 1, l + 1),
        "remove it, merging the vertices that coincide");
  }
}

/// Every edge must belong to two triangles that run along it in opposite directions.
void check_edges(const TriangleMesh& mesh, const std::string& element) {
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const auto& t = mesh.triangles[k];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax({t[i], t[(i + 1) % 3]});
      edges.push_back({low, high, t[i] == low, static_cast<int>(k)});
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    const Edge& e = edges[i];
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == e.low && edges[end].high == e.high) ++end;
    const std::string edge = fmt::format("the edge from vertex {} to {}", e.low + 1, e.high + 1);
    if (end - i == 1) {
      throw Error(
          element,
          fmt::format("the mesh is open: {} belongs to triangle {} only", edge, e.triangle + 1),
          "close the hole, and merge vertices that are given more than once");
    }
    if (end - i > 2) {
      throw Error(element, fmt::format("{} triangles meet at {}", end - i, edge),
                  "leave two at each edge: remove inner walls, or split the vertices there");
    }
    if (e.forward == edges[i + 1].forward) {
      throw Error(element,
                  fmt::format("triangles {} and {} run along {} in the same direction",
                              e.triangle + 1, edges[i + 1].triangle + 1, edge),
                  "reverse one of them: all must be counter-clockwise seen from outside");
    }
    i = end;
  }
}

void check_volume(const TriangleMesh& mesh, const std::string& element) {
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& x : mesh.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const double V = mesh.volume();
  if (std::abs(V) <= kDegenerate * std::pow((high - low).norm(), 3))
    throw Error(element, "the mesh encloses no volume", "give a solid");
  if (V < 0) {
    throw Error(element, fmt::format("the triangles face inward (volume {:g} m³)", V),
                "reverse the order of the vertices in every triangle");
  }
}

}  // namespace

double TriangleMesh::volume() const { return integrate(*this).V; }

SpatialInertia TriangleMesh::inertia(double density) const {
  const Moments m = integrate(*this);
  const SpatialInertia about_o{density * m.V, density * m.first,
                               density * (m.second.trace() * Mat3::Identity() - m.second)};
  return about_o.transformed(Pose::Translation(m.o));
}

void TriangleMesh::validate(const std::string& element) const {
  if (triangles.size() < 4) {
    throw Error(element, fmt::format("the mesh has {} triangles", triangles.size()),
                "a closed surface needs at least four");
  }
  check_vertices(*this, element);
  check_triangles(*this, element);
  check_edges(*this, element);
  check_volume(*this, element);
}

}  // namespace sinew
