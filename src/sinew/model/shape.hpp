#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sinew/math/spatial_inertia.hpp"
#include "sinew/model/triangle_mesh.hpp"

/// Solids of uniform density, from which bodies get their inertia. Each is described in its own
/// shape frame S: all but the mesh are centred at its origin, and round ones have S's z axis as
/// their axis. `validate` throws an Error naming `element` unless every parameter is finite,
/// positive and plausible in metres.

namespace sinew {

struct Cuboid {
  Vec3 sides;  ///< full lengths along x, y, z [m]

  double volume() const;
  SpatialInertia inertia(double density) const;
  void validate(const std::string& element) const;
};

struct Sphere {
  double radius;  ///< [m]

  double volume() const;
  SpatialInertia inertia(double density) const;
  void validate(const std::string& element) const;
};

struct Cylinder {
  double radius, height;  ///< [m]

  double volume() const;
  SpatialInertia inertia(double density) const;
  void validate(const std::string& element) const;
};

/// A cylinder with half a ball on either end.
struct Capsule {
  double radius, height;  ///< height of the cylindrical part: the whole less 2 × radius [m]

  double volume() const;
  SpatialInertia inertia(double density) const;
  void validate(const std::string& element) const;
};

struct Ellipsoid {
  Vec3 radii;  ///< semi-axes along x, y, z [m]

  double volume() const;
  SpatialInertia inertia(double density) const;
  void validate(const std::string& element) const;
};

using Shape = std::variant<Cuboid, Sphere, Cylinder, Capsule, Ellipsoid, TriangleMesh>;

/// "cuboid", "sphere", "cylinder", "capsule", "ellipsoid", "mesh".
std::string type_name(const Shape& shape);
double volume(const Shape& shape);  ///< [m³]
/// In the shape frame; density in kg/m³.
SpatialInertia inertia(const Shape& shape, double density);
void validate(const Shape& shape, const std::string& element);

/// How a solid is drawn. It has no effect on any motion.
struct Appearance {
  std::string material;       ///< one of kMaterials, or empty
  std::optional<Vec3> color;  ///< red, green, blue from 0 to 1; none: that of the material
  double opacity = 1;
};
inline const std::vector<std::string> kMaterials = {"bone",   "skin", "metal", "plastic",
                                                    "rubber", "wood", "stone"};

/// One solid of a body.
struct ShapePart {
  Shape shape;
  Pose E_BS;           ///< shape frame in the body frame
  double density = 0;  ///< [kg/m³]
  Appearance appearance = {};
};

/// The inertia in the body frame of all the parts together (where two overlap, both count).
/// Validates them; an Error names `element` and the part. For the principal frame see
/// principal_inertia().
SpatialInertia composite_inertia(const std::vector<ShapePart>& parts, const std::string& element);

}  // namespace sinew
