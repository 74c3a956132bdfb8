#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sinew/model/shape.hpp"

/// Shapes that touch. They share the solids of model/shape.hpp, each in its own shape frame S; two
/// are for contact only. See docs/theory/contact_geometry.md.

namespace sinew {

/// A cloud of points fixed to a body: the vertices of a mesh, which touch as points.
struct MeshVertices {
  std::vector<Vec3> points;  ///< shape frame [m]

  /// Throws an Error naming `element` unless there are points, all finite and within 1e6 m.
  void validate(const std::string& element) const;
};

/// The solid half space y ≤ 0 of its frame, whose outward normal is y: placed by the identity it is
/// level ground. It may be fixed to the world or to any body.
struct Plane {
  void validate(const std::string&) const {}
};

using ContactShape =
    std::variant<Sphere, Capsule, Cuboid, Ellipsoid, Cylinder, MeshVertices, Plane>;

/// "sphere", "capsule", "cuboid", "ellipsoid", "cylinder", "mesh vertices", "plane".
std::string type_name(const ContactShape& shape);
void validate(const ContactShape& shape, const std::string& element);

/// The shape as it touches: a mesh by its vertices, all others unchanged.
ContactShape contact_shape(const Shape& shape);

/// Box with sides along the world's axes; low ≤ high, both may be infinite.
struct Aabb {
  Vec3 low, high;  ///< [m]
};

/// The smallest such box around the shape, grown by `margin` on every side. A plane is bounded only
/// if its normal is an axis of the world, and then on one side.
Aabb bounds(const ContactShape& shape, const Pose& E_WS, double margin);

}  // namespace sinew
