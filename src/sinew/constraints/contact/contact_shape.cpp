#include "sinew/constraints/contact/contact_shape.hpp"

#include <fmt/format.h>

#include "sinew/core/error.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

constexpr double kLargestLength = 1e6;  // m; as for solids: beyond it the unit is wrong

Aabb around(const Vec3& centre, const Vec3& reach) { return {centre - reach, centre + reach}; }

// The reach of a convex shape along the world axis e is its support function at Rᵀe; row i of R is
// Rᵀe_i.

Aabb tight_bounds(const Sphere& s, const Pose& E) { return around(E.p, Vec3::Constant(s.radius)); }

Aabb tight_bounds(const Capsule& s, const Pose& E) {
  return around(E.p, (0.5 * s.height * E.R.col(2).cwiseAbs()).array() + s.radius);
}

Aabb tight_bounds(const Cuboid& s, const Pose& E) {
  return around(E.p, 0.5 * E.R.cwiseAbs() * s.sides);
}

Aabb tight_bounds(const Ellipsoid& s, const Pose& E) {
  return around(E.p, (E.R * s.radii.asDiagonal()).rowwise().norm());
}

Aabb tight_bounds(const Cylinder& s, const Pose& E) {
  return around(
      E.p, 0.5 * s.height * E.R.col(2).cwiseAbs() + s.radius * E.R.leftCols<2>().rowwise().norm());
}

Aabb tight_bounds(const MeshVertices& s, const Pose& E) {
  Aabb box{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  for (const Vec3& x_S : s.points) {
    const Vec3 x_W = E * x_S;
    box.low = box.low.cwiseMin(x_W);
    box.high = box.high.cwiseMax(x_W);
  }
  return box;
}

Aabb tight_bounds(const Plane&, const Pose& E) {
  const Vec3 n = E.R.col(1);
  Aabb box{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  for (int i = 0; i < 3; ++i) {
    // The least tilt brings every height within reach, far away: only exact zeros count.
    if (n[(i + 1) % 3] != 0 || n[(i + 2) % 3] != 0) continue;
    (n[i] > 0 ? box.high : box.low)[i] = E.p[i];
  }
  return box;
}

}  // namespace

void MeshVertices::validate(const std::string& element) const {
  if (points.empty()) throw Error(element, "it has no vertices", "give at least one");
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3& x = points[k];
    if (x.allFinite() && x.cwiseAbs().maxCoeff() <= kLargestLength) continue;
    throw Error(element,
                fmt::format("vertex {} is at ({:g}, {:g}, {:g}) m", k + 1, x.x(), x.y(), x.z()),
                fmt::format("it must be finite, with coordinates up to {:g} m", kLargestLength));
  }
}

std::string type_name(const ContactShape& shape) {
  static constexpr const char* names[] = {"sphere",   "capsule",       "cuboid", "ellipsoid",
                                          "cylinder", "mesh vertices", "plane"};
  static_assert(std::size(names) == std::variant_size_v<ContactShape>);
  return names[shape.index()];
}

void validate(const ContactShape& shape, const std::string& element) {
  std::visit([&](const auto& s) { s.validate(element); }, shape);
}

ContactShape contact_shape(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> ContactShape {
        if constexpr (std::is_same_v<decltype(s), const TriangleMesh&>) {
          return MeshVertices{s.vertices};
        } else {
          return s;
        }
      },
      shape);
}

Aabb bounds(const ContactShape& shape, const Pose& E_WS, double margin) {
  Aabb box = std::visit([&](const auto& s) { return tight_bounds(s, E_WS); }, shape);
  box.low.array() -= margin;
  box.high.array() += margin;
  return box;
}

}  // namespace sinew
