#include "sinew/export/solid_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew {
namespace {

using std::numbers::pi;
constexpr int kAround = 32;  // sides of round solids

/// A corner of a profile that is revolved around z: distance from the axis, height, and the normal
/// in that plane.
struct ProfilePoint {
  double r, z, n_r, n_z;
};

/// Rows of vertices around an axis or a ring, joined by triangles; `corner` gives place and normal
/// of column j of row i.
template <class Corner>
SolidMesh grid(int rows, int columns, const Corner& corner) {
  SolidMesh out;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      const auto [x, n] = corner(i, j);
      out.add_vertex(x, n);
    }
  const auto at = [&](int i, int j) { return i * (columns + 1) + j; };
  const auto place = [&](int k) {
    return Vec3(out.vertices[static_cast<size_t>(3 * k)],
                out.vertices[static_cast<size_t>(3 * k + 1)],
                out.vertices[static_cast<size_t>(3 * k + 2)]);
  };
  const auto add = [&](int a, int b, int c) {
    // At a pole, and between rows at the same place, there is nothing to draw.
    if ((place(b) - place(a)).cross(place(c) - place(a)).norm() > 0)
      out.triangles.insert(out.triangles.end(), {a, b, c});
  };
  for (int i = 0; i + 1 < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      add(at(i, j), at(i, j + 1), at(i + 1, j + 1));
      add(at(i, j), at(i + 1, j + 1), at(i + 1, j));
    }
  return out;
}

/// The profile from below to above.
SolidMesh revolved(const std::vector<ProfilePoint>& profile, int around) {
  return grid(static_cast<int>(profile.size()), around, [&](int i, int j) {
    const ProfilePoint& p = profile[static_cast<size_t>(i)];
    // The last column is at the place of the first, to the bit.
    const double angle = 2 * pi * (j % around) / around;
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    return std::pair<Vec3, Vec3>(p.r * out + p.z * Vec3::UnitZ(),
                                 p.n_r * out + p.n_z * Vec3::UnitZ());
  });
}

/// Part of a circle around (0, z), from one latitude to another, appended.
void add_arc(double radius, double z, double from, double to, int steps,
             std::vector<ProfilePoint>& out) {
  for (int k = 0; k <= steps; ++k) {
    const double angle = from + (to - from) * k / steps;
    // Exactly 0 at a pole.
    const double c = std::abs(std::abs(angle) - pi / 2) < 1e-9 ? 0 : std::cos(angle);
    out.push_back({radius * c, z + radius * std::sin(angle), c, std::sin(angle)});
  }
}

SolidMesh ball(const Vec3& radii) {
  std::vector<ProfilePoint> profile;
  add_arc(1, 0, -pi / 2, pi / 2, kAround / 2, profile);
  const SolidMesh unit = revolved(profile, kAround);
  SolidMesh out;
  for (size_t k = 0; k < unit.vertices.size(); k += 3) {
    const Vec3 x(unit.vertices[k], unit.vertices[k + 1], unit.vertices[k + 2]);
    out.add_vertex(x.cwiseProduct(radii), x.cwiseQuotient(radii).normalized());
  }
  out.triangles = unit.triangles;
  return out;
}

struct MakeMesh {
  SolidMesh operator()(const Cuboid& s) const {
    SolidMesh out;
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        const Vec3 n = side * Vec3::Unit(axis);
        const Vec3 u = Vec3::Unit((axis + 1) % 3), v = n.cross(u);
        const int first = out.vertex_count();
        for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
          out.add_vertex((n + a * u + b * v).cwiseProduct(0.5 * s.sides), n);
        for (const int k : {0, 1, 2, 0, 2, 3}) out.triangles.push_back(first + k);
      }
    return out;
  }
  SolidMesh operator()(const Sphere& s) const { return ball(Vec3::Constant(s.radius)); }
  SolidMesh operator()(const Ellipsoid& s) const { return ball(s.radii); }
  SolidMesh operator()(const Cylinder& s) const {
    const double r = s.radius, z = 0.5 * s.height;
    return revolved(
        {{0, -z, 0, -1}, {r, -z, 0, -1}, {r, -z, 1, 0}, {r, z, 1, 0}, {r, z, 0, 1}, {0, z, 0, 1}},
        kAround);
  }
  SolidMesh operator()(const Capsule& s) const {
    std::vector<ProfilePoint> profile;
    add_arc(s.radius, -0.5 * s.height, -pi / 2, 0, kAround / 4, profile);
    add_arc(s.radius, 0.5 * s.height, 0, pi / 2, kAround / 4, profile);
    return revolved(profile, kAround);
  }
  SolidMesh operator()(const DrawnTorus& s) const {
    constexpr int kAcross = 16;
    return grid(kAcross + 1, kAround, [&](int i, int j) {
      const double a = 2 * pi * (i % kAcross) / kAcross, b = 2 * pi * (j % kAround) / kAround;
      const Vec3 out(std::cos(b), std::sin(b), 0);
      const Vec3 n = std::cos(a) * out + std::sin(a) * Vec3::UnitZ();
      return std::pair<Vec3, Vec3>(s.radius * out + s.tube * n, n);
    });
  }
  SolidMesh operator()(const TriangleMesh& s) const {
    std::vector<Vec3> normals(s.vertices.size(), Vec3::Zero());
    SolidMesh out;
    for (const auto& t : s.triangles) {
      const auto corner = [&](size_t k) -> const Vec3& {
        return s.vertices[static_cast<size_t>(t[k])];
      };
      const Vec3 n = (corner(1) - corner(0)).cross(corner(2) - corner(0));
      for (const int k : t) normals[static_cast<size_t>(k)] += n;
      out.triangles.insert(out.triangles.end(), t.begin(), t.end());
    }
    for (size_t k = 0; k < normals.size(); ++k) {
      const double size = normals[k].norm();
      out.add_vertex(s.vertices[k], size > 0 ? Vec3(normals[k] / size) : Vec3(Vec3::UnitZ()));
    }
    return out;
  }
};

}  // namespace

void SolidMesh::add_vertex(const Vec3& x, const Vec3& n) {
  vertices.insert(vertices.end(), x.begin(), x.end());
  normals.insert(normals.end(), n.begin(), n.end());
}

SolidMesh solid_mesh(const DrawnForm& form) { return std::visit(MakeMesh{}, form); }

SolidMesh bone_mesh(const Vec3& from, const Vec3& to) {
  constexpr int kRows = 24;
  const double length = (to - from).norm();
  const double thick = std::min(0.09 * length, 0.035 + 0.02 * length);
  std::vector<ProfilePoint> profile;
  for (int k = 0; k <= kRows; ++k) {
    // Closer at the ends, which are round.
    const double x = 0.5 - 0.5 * std::cos(pi * k / kRows), out = std::abs(2 * x - 1);
    const double waist = 0.5 + 0.5 * std::pow(out, 3);
    profile.push_back({k % kRows == 0 ? 0 : thick * waist * std::sqrt(1 - std::pow(out, 14)),
                       length * (x - 0.5), 0, 0});
  }
  for (size_t k = 0; k < profile.size(); ++k) {
    const ProfilePoint& a = profile[k == 0 ? 0 : k - 1];
    const ProfilePoint& b = profile[std::min(k + 1, profile.size() - 1)];
    const double size = std::hypot(b.r - a.r, b.z - a.z);
    profile[k].n_r = (b.z - a.z) / size;
    profile[k].n_z = (a.r - b.r) / size;
  }
  SolidMesh out = revolved(profile, 16);
  const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), to - from).toRotationMatrix();
  const Vec3 middle = 0.5 * (from + to);
  for (size_t k = 0; k < out.vertices.size(); k += 3) {
    Eigen::Map<Vec3> x(&out.vertices[k]), n(&out.normals[k]);
    x = (turn * x + middle).eval();
    n = (turn * n).eval();
  }
  return out;
}

}  // namespace sinew
