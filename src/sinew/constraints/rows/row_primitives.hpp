#pragma once

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/constraint.hpp"

/// The two kinds of row that hold bodies together, and the checks that elements share.

namespace sinew {

/// A direction fixed on a body, world axes.
inline Vec3 direction(const SkeletonAt& in, BodyIndex body, const Vec3& v_B) {
  if (body == kWorld) return v_B;
  const Body& b = in.skeleton.body(body);
  return in.ws.link[static_cast<size_t>(b.link.value)].R * (b.E_LB.R * v_B);
}
inline AttachedPoint attach(const SkeletonAt& in, BodyIndex body, const Vec3& x_B) {
  return attach(in.skeleton, in.ws, body, x_B);
}

inline const LinkMotion& motion(const SkeletonAt& in, int link) {
  return in.ws.link[static_cast<size_t>(link)];
}

inline Vec6 stacked(const Vec3& w, const Vec3& v) {
  Vec6 out;
  out.head<3>() = w;
  out.tail<3>() = v;
  return out;
}

/// Two unit vectors orthogonal to the unit vector n and to each other, (v₁, v₂, n) right-handed
/// (Wang 2022 Eq. 4.97).
void orthonormal_complement(const Vec3& n, Vec3& v1, Vec3& v2);

/// v · (velocity of the point), v turning at v̇.
inline void add_point_term(const AttachedPoint& x, const Vec3& v_link, const Vec3& v,
                           const Vec3& vdot, int row, ConstraintRows& out) {
  ConstraintRows::TwistTerm& term = out.append(row, x.link);
  term.c.head<3>() = x.offset.cross(v);
  term.c.tail<3>() = v;
  if (!out.with_rates) return;
  const Vec3 turned = x.offset.cross(vdot);
  term.cdot.head<3>() = (x.velocity - v_link).cross(v) + turned;
  term.x.head<3>() = x.velocity.cross(v) + turned;
  term.cdot.tail<3>() = term.x.tail<3>() = vdot;
}

/// g = v · (x_A − x_B), v fixed on link `carrier` (0: the world). The row acts on the carrier only
/// while x_A − x_B is not zero: this is the V̇ missing in Wang 2022 Eq. 4.100.
inline void add_direction_row(const SkeletonAt& in, const AttachedPoint& a, const AttachedPoint& b,
                              int carrier, const Vec3& v, int row, ConstraintRows& out) {
  const Vec3 d = a.position - b.position;
  out.value[row] = v.dot(d);
  out.rate[row] = out.bias[row] = 0;
  const Vec3 vdot = carrier == 0 ? Vec3::Zero() : motion(in, carrier).w.cross(v);
  if (a.link > 0) add_point_term(a, motion(in, a.link).v, v, vdot, row, out);
  if (b.link > 0) add_point_term(b, motion(in, b.link).v, -v, -vdot, row, out);
  if (carrier == 0) return;
  const Vec3 ddot = a.velocity - b.velocity;
  out.add(row, carrier, motion(in, carrier), stacked(v.cross(d), Vec3::Zero()),
          stacked(vdot.cross(d) + v.cross(ddot), Vec3::Zero()));
}
/// K of the reactions of several such rows with the same points and carrier; F = −Σ λ v is the
/// force on A.
void add_direction_derivatives(const AttachedPoint& a, const AttachedPoint& b, int carrier,
                               const Vec3& F, ForceDerivatives& out);

/// g = a · b, directions a fixed on link_a and b on link_b: they stay perpendicular.
void add_perpendicular_row(const SkeletonAt& in, int link_a, const Vec3& a, int link_b,
                           const Vec3& b, int row, ConstraintRows& out);
void add_perpendicular_derivatives(int link_a, const Vec3& a, int link_b, const Vec3& b,
                                   double lambda, ForceDerivatives& out);

/// Checks that every element makes; the messages name the constraint.
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
