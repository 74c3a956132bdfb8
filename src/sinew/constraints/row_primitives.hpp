#pragma once

#include "sinew/constraints/constraint.hpp"
#include "sinew/dynamics/attached_point.hpp"

/// The two kinds of row that hold bodies together, and the checks that elements share.

namespace sinew {

/// A direction fixed on a body, world axes.
inline Vec3 direction(const ForceInput& in, BodyIndex body, const Vec3& v_B) {
  if (body == kWorld) return v_B;
  const Body& b = in.skeleton.body(body);
  return in.ws.link[static_cast<size_t>(b.link.value)].R * (b.E_LB.R * v_B);
}
inline AttachedPoint attach(const ForceInput& in, BodyIndex body, const Vec3& x_B) {
  return attach(in.skeleton, in.ws, body, x_B);
}

/// Two unit vectors orthogonal to the unit vector n and to each other, (v₁, v₂, n) right-handed
/// (000 Eq. 4.97).
void orthonormal_complement(const Vec3& n, Vec3& v1, Vec3& v2);

/// g = v · (x_A − x_B), v riding on link `carrier` (0: fixed in the world). The carrier feels the
/// row only while x_A − x_B is not zero: that is the V̇ missing in 000 Eq. 4.100.
void add_direction_row(const ForceInput& in, const AttachedPoint& a, const AttachedPoint& b,
                       int carrier, const Vec3& v, int row, ConstraintRows& out);
/// K of the reactions of several such rows with the same points and carrier; F = −Σ λ v is the
/// force on A.
void add_direction_derivatives(const AttachedPoint& a, const AttachedPoint& b, int carrier,
                               const Vec3& F, ForceDerivatives& out);

/// g = a · b, directions a fixed on link_a and b on link_b: they stay perpendicular.
void add_perpendicular_row(const ForceInput& in, int link_a, const Vec3& a, int link_b,
                           const Vec3& b, int row, ConstraintRows& out);
void add_perpendicular_derivatives(int link_a, const Vec3& a, int link_b, const Vec3& b,
                                   double lambda, ForceDerivatives& out);

/// What every element checks; the messages name the constraint.
void require_constraint(bool condition, const Constraint& constraint, const std::string& problem,
                        const std::string& remedy);
void require_body(const Skeleton& skeleton, BodyIndex body, const Constraint& constraint);
void require_dof(const Skeleton& skeleton, DofIndex dof, const Constraint& constraint);
/// Two different bodies, not welded to each other.
void require_two_bodies(const Skeleton& skeleton, BodyIndex a, BodyIndex b,
                        const Constraint& constraint);

/// Three measurements, e.g. force_x, force_y, force_z.
void add_measurements(const std::string& what, const Vec3& value, std::vector<Measurement>& out);

}  // namespace sinew
