#pragma once

#include "sinew/constraints/contact/contact_shape.hpp"

/// Distance of a point p to the surface of a convex shape, in the shape frame S: positive outside,
/// negative inside. With s its value, n = ∇s is the outward unit normal at the nearest surface
/// point, p − s n, and ∇∇s = ∂n/∂p tells how the normal turns as p moves.
///
/// Where several surface points are equally near (the centre of a sphere, the axis of a capsule,
/// the ridges inside a box or an ellipsoid) one is chosen, always the same one, and ∇∇s is 0 where
/// it would be infinite. Nothing here ever returns NaN for finite p.

namespace sinew {

struct SignedDistance {
  double s;  ///< [m]
  Vec3 n;    ///< ∇s, unit
};

SignedDistance signed_distance(const Plane& plane, const Vec3& p);
SignedDistance signed_distance(const Sphere& sphere, const Vec3& p);
SignedDistance signed_distance(const Capsule& capsule, const Vec3& p);
SignedDistance signed_distance(const Cuboid& cuboid, const Vec3& p);
SignedDistance signed_distance(const Cylinder& cylinder, const Vec3& p);
/// By a root of one scalar equation, to rounding, in a few steps from any p.
SignedDistance signed_distance(const Ellipsoid& ellipsoid, const Vec3& p);

/// ∇∇s [1/m], symmetric, with n in its null space.
Mat3 distance_hessian(const Plane& plane, const Vec3& p);
Mat3 distance_hessian(const Sphere& sphere, const Vec3& p);
Mat3 distance_hessian(const Capsule& capsule, const Vec3& p);
Mat3 distance_hessian(const Cuboid& cuboid, const Vec3& p);
Mat3 distance_hessian(const Cylinder& cylinder, const Vec3& p);
Mat3 distance_hessian(const Ellipsoid& ellipsoid, const Vec3& p);

}  // namespace sinew
