#include <cmath>

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

// Second derivatives of a route's length, in the form that goes with wrenches on links: the rest
// after every wrench moves with its link. With d the unit vector of a straight piece from a to b, J
// the columns ∂x/∂q and ω those of the links' rotations,
//     T [(J_b − J_a)ᵀ (I − ddᵀ)(J_b − J_a)/l]                     the piece turns        (R2)
//     T [−J_jᵀ (ω_k × G)]                                         the links turn         (R3)
// for each node, G = ∂L/∂x. A moving point's own motion o adds to J in both; its force on a
// coordinate, G·o, turns with the links, which adds T G·(ω_j × o_k) to (R3). Touch points that
// slide along a cylinder or sphere add (R4) and (R5). Derivation: docs/theory/opensim_paths.md.

namespace sinew {
namespace {

/// The contribution of sliding touch points to ∂²L of a span p₁, p₂ (frame of the surface) that
/// touches at t and leaves at v.
using SpanHessian = Mat6;

/// (R4): L = √(P² + Z²), P the length of the plan and Z the height. P″ is that of held touch
/// points, so that ∂²L = (P/L) P″ + w wᵀ/L with w = (Z ∇P − P ∇Z)/L.
SpanHessian slide_on_cylinder(const Vec3& p1, const Vec3& t, const Vec3& v, const Vec3& p2,
                              double arc) {
  const Vec3 first = t - p1, last = p2 - v;
  const double l1 = first.norm(), l2 = last.norm();
  const double plan1 = first.head<2>().norm(), plan2 = last.head<2>().norm();
  SpanHessian out = SpanHessian::Zero();
  if (!(plan1 > 0) || !(plan2 > 0)) return out;
  const double L = l1 + arc + l2, Z = p2.z() - p1.z(), P = std::sqrt(L * L - Z * Z);
  Vec6 w;
  w << -Z / L * first.head<2>() / plan1, P / L, Z / L * last.head<2>() / plan2, -P / L;
  out = w * w.transpose() / L;
  const auto replace = [&](int at, const Vec3& piece, double plan, double l) {
    const Vec3 n = Vec3(-piece.y(), piece.x(), 0) / plan, d = piece / l;
    out.block<3, 3>(at, at) +=
        P / (L * plan) * n * n.transpose() - (Mat3::Identity() - d * d.transpose()) / l;
  };
  replace(0, first, plan1, l1);
  replace(3, last, plan2, l2);
  return out;
}

/// (R5): the plane of centre and ends turns with them. In it, touch points may be held; across it,
/// the angle Θ between the ends and their distances ρ change to second order.
SpanHessian slide_on_sphere(const Vec3& p1, const Vec3& t, const Vec3& v, const Vec3& p2,
                            double arc, double radius) {
  const double l1 = (t - p1).norm(), l2 = (p2 - v).norm();
  const double rho1 = p1.norm(), rho2 = p2.norm();
  const double theta = arc / radius + std::atan2(l1, radius) + std::atan2(l2, radius);
  SpanHessian out = SpanHessian::Zero();
  const double s = std::sin(theta), c = std::cos(theta);
  const Vec3 across = p1.cross(t);
  // Opposite ends have no plane.
  if (std::abs(s) < 1e-6 || !(l1 > 0) || !(l2 > 0) || !(across.norm() > 0)) return out;
  const Vec3 m = across.normalized();
  const Mat3 mm = m * m.transpose();
  out.topLeftCorner<3, 3>() = ((radius * c / s + l1) / (rho1 * rho1) - 1 / l1) * mm;
  out.bottomRightCorner<3, 3>() = ((radius * c / s + l2) / (rho2 * rho2) - 1 / l2) * mm;
  out.topRightCorner<3, 3>() = -radius / (s * rho1 * rho2) * mm;
  out.bottomLeftCorner<3, 3>() = out.topRightCorner<3, 3>();
  return out;
}

}  // namespace

Vec3 OpenSimPathOnSkeleton::column(const SkeletonAt& in, const Axis& axis, int slot,
                                   const Vec3& x) {
  if (!moves(axis, slot)) return Vec3::Zero();
  const Vec6& s = in.ws.s[static_cast<size_t>(axis.dof)];
  return s.tail<3>() + s.head<3>().cross(x - in.ws.link[static_cast<size_t>(axis.mover)].p);
}

void OpenSimPathOnSkeleton::update_columns(const SkeletonAt& in, OpenSimPathWorkspace& ws) const {
  const size_t n = axes_.size();
  ws.J.resize(n * ws.nodes.size());
  ws.own.assign(n * ws.nodes.size(), Vec3::Zero());
  for (size_t i = 0; i < ws.nodes.size(); ++i) {
    const OpenSimPathNode& node = ws.nodes[i];
    if (node.point >= 0) {
      const auto point = static_cast<size_t>(node.point);
      for (size_t m = 0; m < places_[point].motions.size(); ++m)
        if (const int axis = places_[point].motions[m].axis; axis >= 0)
          ws.own[i * n + static_cast<size_t>(axis)] += own_column(in, point, m);
    }
    for (size_t k = 0; k < n; ++k)
      ws.J[i * n + k] = column(in, axes_[k], node.slot, node.x) + ws.own[i * n + k];
  }
}

void OpenSimPathOnSkeleton::add_straight_pieces(double tension, const OpenSimPathWorkspace& ws,
                                                MatRef dg_dq) const {
  const size_t n = axes_.size();
  for (size_t i = 0; i + 1 < ws.nodes.size(); ++i) {
    const OpenSimPathNode &a = ws.nodes[i], &b = ws.nodes[i + 1];
    if (a.surface >= 0 && a.surface == b.surface) continue;
    const Vec3 piece = b.x - a.x;
    const double l = piece.norm();
    if (!(l > 0)) continue;
    const Vec3 d = piece / l;
    for (const int column : axis_of_dof_) {
      const auto k = static_cast<size_t>(column);
      const Vec3 by_k = ws.J[(i + 1) * n + k] - ws.J[i * n + k];
      const Vec3 turn = tension / l * (by_k - d.dot(by_k) * d);
      for (size_t j = 0; j < n; ++j)
        dg_dq(axes_[j].dof, axes_[k].dof) += turn.dot(ws.J[(i + 1) * n + j] - ws.J[i * n + j]);
    }
  }
}

void OpenSimPathOnSkeleton::add_turning(const SkeletonAt& in, double tension,
                                        const OpenSimPathWorkspace& ws, MatRef dg_dq) const {
  const size_t n = axes_.size();
  const auto turn = [&](size_t axis) -> Vec3 {
    return in.ws.s[static_cast<size_t>(axes_[axis].dof)].head<3>();
  };
  for (size_t i = 0; i < ws.nodes.size(); ++i) {
    const OpenSimPathNode& node = ws.nodes[i];
    const Vec3 G = tension * ws.pull[i];
    const Vec3* J = &ws.J[i * n];
    for (const int column : axis_of_dof_) {
      const auto k = static_cast<size_t>(column);
      if (!moves(axes_[k], node.slot)) continue;
      const Vec3 turned = turn(k).cross(G);
      for (size_t j = 0; j < n; ++j) dg_dq(axes_[j].dof, axes_[k].dof) -= J[j].dot(turned);
    }
    if (node.point < 0 || places_[static_cast<size_t>(node.point)].motions.empty()) continue;
    const auto point = static_cast<size_t>(node.point);
    for (const int column : axis_of_dof_) {
      const auto k = static_cast<size_t>(column);
      const Vec3 across = ws.own[i * n + k].cross(G);
      for (size_t j = 0; j < n; ++j)
        if (moves(axes_[j], node.slot)) dg_dq(axes_[j].dof, axes_[k].dof) += turn(j).dot(across);
    }
    for (size_t m = 0; m < places_[point].motions.size(); ++m) {
      const Place::Motion& motion = places_[point].motions[m];
      if (motion.dof < 0) continue;
      const double second = derivatives(path_.points[point].motions[m], in.q[motion.dof])[2];
      dg_dq(motion.dof, motion.dof) += second * G.dot(link(in, node.slot).R * motion.axis_L);
    }
  }
}

void OpenSimPathOnSkeleton::add_sliding(const SkeletonAt& in, double tension,
                                        const OpenSimPathWorkspace& ws, MatRef dg_dq) const {
  const size_t n = axes_.size();
  for (size_t i = 1; i + 2 < ws.nodes.size(); ++i) {
    const OpenSimPathNode *a = &ws.nodes[i - 1], *b = &ws.nodes[i + 2];
    const int s = ws.nodes[i].surface;
    // Only between points: where a span ends on another surface its end slides, too.
    if (s < 0 || ws.nodes[i + 1].surface != s || a->point < 0 || b->point < 0) continue;
    const PathSurface& surface = *path_.surfaces[static_cast<size_t>(s)].surface;
    const Pose& E_WS = ws.E_WS[static_cast<size_t>(s)];
    const auto in_S = [&](const OpenSimPathNode& node) -> Vec3 {
      return E_WS.R.transpose() * (node.x - E_WS.p);
    };
    const Vec3 p1 = in_S(*a), t = in_S(ws.nodes[i]), v = in_S(ws.nodes[i + 1]), p2 = in_S(*b);
    const double arc = ws.nodes[i + 1].arc;
    SpanHessian H;
    if (std::holds_alternative<CylinderWrap>(surface.wrap))
      H = slide_on_cylinder(p1, t, v, p2, arc);
    else if (const auto* sphere = std::get_if<SphereWrap>(&surface.wrap))
      H = slide_on_sphere(p1, t, v, p2, arc, sphere->radius);
    else
      continue;
    const int slot = ws.nodes[i].slot;
    // Motion of the ends as seen from the surface.
    const auto seen = [&](size_t axis) {
      Vec6 out;
      out << E_WS.R.transpose() * (ws.J[(i - 1) * n + axis] - column(in, axes_[axis], slot, a->x)),
          E_WS.R.transpose() * (ws.J[(i + 2) * n + axis] - column(in, axes_[axis], slot, b->x));
      return out;
    };
    for (const int column_k : axis_of_dof_) {
      const auto k = static_cast<size_t>(column_k);
      const Vec6 by_k = tension * (H * seen(k));
      for (const int row : axis_of_dof_) {
        const auto j = static_cast<size_t>(row);
        dg_dq(axes_[j].dof, axes_[k].dof) += seen(j).dot(by_k);
      }
    }
  }
}

void OpenSimPathOnSkeleton::add_derivatives(const SkeletonAt& in, double tension,
                                            OpenSimPathWorkspace& ws, MatRef dg_dq) const {
  update_columns(in, ws);
  add_straight_pieces(tension, ws, dg_dq);
  add_turning(in, tension, ws, dg_dq);
  add_sliding(in, tension, ws, dg_dq);
}

}  // namespace sinew
