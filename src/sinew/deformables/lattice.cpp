#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/deformables/point_grid.hpp"
#include "sinew/deformables/tet_mesh.hpp"

// A cell is kept if some of the surface passes through it or its centre is inside. Five tetrahedra
// fill it, one in the middle on four of its corners; in neighbours the other four, so that the
// diagonals of shared faces agree.

namespace sinew {
namespace {

using Cell = std::array<int, 3>;

/// Whether a triangle, given relative to the centre of a box, touches the box of half-edges e: no
/// axis of the box, normal of the triangle, or product of edges keeps them apart.
bool touches(const std::array<Vec3, 3>& x, const Vec3& e) {
  const auto apart = [&](const Vec3& axis) {
    const double reach = axis.cwiseAbs().dot(e);
    const double a = axis.dot(x[0]), b = axis.dot(x[1]), c = axis.dot(x[2]);
    return std::min({a, b, c}) > reach || std::max({a, b, c}) < -reach;
  };
  if (apart((x[1] - x[0]).cross(x[2] - x[0]))) return false;
  for (int i = 0; i < 3; ++i) {
    if (apart(Vec3::Unit(i))) return false;
    for (int j = 0; j < 3; ++j)
      if (apart(Vec3::Unit(i).cross(x[(j + 1) % 3] - x[j]))) return false;
  }
  return true;
}

/// Solid angle of the surface as seen from p, over 4π: 1 inside, 0 outside (Van Oosterom and
/// Strackee's formula for each triangle).
double winding(const TriangleMesh& surface, const Vec3& p) {
  double sum = 0;
  for (const auto& t : surface.triangles) {
    const Vec3 a = surface.vertices[t[0]] - p, b = surface.vertices[t[1]] - p,
               c = surface.vertices[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (2 * std::numbers::pi);
}

/// Whether the line from p to q passes through a triangle, by more than rounding.
bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& x) {
  const Vec3 n = (x[1] - x[0]).cross(x[2] - x[0]), d = q - p;
  const double hair = 1e-9 * n.norm() * d.norm();
  const double from = n.dot(p - x[0]), to = n.dot(q - x[0]);
  if (!(std::min(from, to) < -hair && std::max(from, to) > hair)) return false;
  double low = 0, high = 0;
  for (int i = 0; i < 3; ++i) {
    const double side = d.dot((x[i] - p).cross(x[(i + 1) % 3] - p));
    if (std::abs(side) <= hair) return false;
    low = std::min(low, side);
    high = std::max(high, side);
  }
  return low == 0 || high == 0;
}

/// No edge passes through a triangle it does not belong to.
void check_crossings(const TriangleMesh& surface, const std::string& element) {
  std::vector<Box> boxes;
  double size = 0;
  const auto corner = [&](size_t k, size_t i) -> const Vec3& {
    return surface.vertices[surface.triangles[k][i]];
  };
  for (size_t k = 0; k < surface.triangles.size(); ++k) {
    const Vec3 &a = corner(k, 0), &b = corner(k, 1), &c = corner(k, 2);
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
    size +=
        (boxes[k].high - boxes[k].low).maxCoeff() / static_cast<double>(surface.triangles.size());
  }
  const PointGrid grid(boxes, size);
  std::vector<int> near;
  for (size_t k = 0; k < surface.triangles.size(); ++k)
    for (size_t i = 0; i < 3; ++i) {
      const int from = surface.triangles[k][i], to = surface.triangles[k][(i + 1) % 3];
      if (from > to) continue;  // the neighbour handles it
      const Vec3 &p = surface.vertices[from], &q = surface.vertices[to];
      const Box box{p.cwiseMin(q), p.cwiseMax(q)};
      grid.find(box, near);
      for (const int other : near) {
        const auto& t = surface.triangles[other];
        const auto is_part = [&](int v) { return v == from || v == to; };
        if (std::any_of(t.begin(), t.end(), is_part) || !boxes[other].meets(box) ||
            !pierces(p, q, {corner(other, 0), corner(other, 1), corner(other, 2)}))
          continue;
        throw Error(element,
                    fmt::format("the surface intersects itself: the edge from vertex {} to {} "
                                "passes through triangle {}",
                                from + 1, to + 1, other + 1),
                    "unite the parts, or remove the fold");
      }
    }
}

/// Corner k of a cell has the bits of k as its offsets.
constexpr int kFive[2][5][4] = {
    {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 6, 0, 3}, {4, 5, 0, 6}, {7, 6, 3, 5}},
    {{1, 2, 4, 7}, {0, 4, 1, 2}, {3, 2, 1, 7}, {5, 7, 1, 4}, {6, 4, 2, 7}}};

}  // namespace

TetMesh lattice_around(const TriangleMesh& surface, const Vec3& spacing,
                       const std::string& element) {
  surface.validate(element);
  if (!(spacing.allFinite() && spacing.minCoeff() > 0))
    throw Error(element, "has a lattice spacing that is not positive", "give metres");
  Vec3 low = surface.vertices[0], high = low;
  for (const Vec3& x : surface.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  check_crossings(surface, element);
  const Vec3 counts = ((high - low).array() / spacing.array()).ceil().max(1.0);
  if (!(counts.prod() <= 1e6))
    throw Error(element, fmt::format("needs a lattice of {:.0f} cells", counts.prod()),
                "give a larger spacing");
  const Cell n = {static_cast<int>(counts.x()), static_cast<int>(counts.y()),
                  static_cast<int>(counts.z())};
  const Vec3 origin = 0.5 * (low + high) - 0.5 * counts.cwiseProduct(spacing);

  std::vector<char> kept(static_cast<size_t>(n[0] * n[1] * n[2]), 0);
  const auto at = [&](int i, int j, int k) -> char& { return kept[(k * n[1] + j) * n[0] + i]; };
  const auto centre = [&](int i, int j, int k) -> Vec3 {
    return origin + spacing.cwiseProduct(Vec3(i + 0.5, j + 0.5, k + 0.5));
  };
  for (const auto& t : surface.triangles) {
    Cell from, to;
    for (int d = 0; d < 3; ++d) {
      const double a = surface.vertices[t[0]][d], b = surface.vertices[t[1]][d],
                   c = surface.vertices[t[2]][d];
      const auto cell = [&](double x) {
        return std::clamp(static_cast<int>(std::floor((x - origin[d]) / spacing[d])), 0, n[d] - 1);
      };
      from[d] = cell(std::min({a, b, c}));
      to[d] = cell(std::max({a, b, c}));
    }
    for (int k = from[2]; k <= to[2]; ++k)
      for (int j = from[1]; j <= to[1]; ++j)
        for (int i = from[0]; i <= to[0]; ++i) {
          if (at(i, j, k)) continue;
          const Vec3 c = centre(i, j, k);
          at(i, j, k) = touches(
              {surface.vertices[t[0]] - c, surface.vertices[t[1]] - c, surface.vertices[t[2]] - c},
              0.5 * spacing);
        }
  }

  TetMesh mesh;
  std::map<Cell, int> number;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        if (!at(i, j, k)) {
          const double inside = winding(surface, centre(i, j, k));
          if (inside < 0.5) continue;
          // Parts that lie in each other, where no edge need pass through a triangle.
          if (inside > 1.5)
            throw Error(
                element,
                fmt::format("the surface intersects itself: ({:.3g}, {:.3g}, {:.3g}) m is "
                            "inside {:.0f} times",
                            centre(i, j, k).x(), centre(i, j, k).y(), centre(i, j, k).z(), inside),
                "unite the parts, or remove one");
        }
        const auto corner = [&](int c) {
          const Cell place = {i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)};
          const auto [found, fresh] =
              number.try_emplace(place, static_cast<int>(mesh.vertices.size()));
          if (fresh)
            mesh.vertices.push_back(origin +
                                    spacing.cwiseProduct(Vec3(place[0], place[1], place[2])));
          return found->second;
        };
        for (const auto& tet : kFive[(i + j + k) % 2])
          mesh.tetrahedra.push_back(
              {corner(tet[0]), corner(tet[1]), corner(tet[2]), corner(tet[3])});
      }
  return mesh;
}

}  // namespace sinew
