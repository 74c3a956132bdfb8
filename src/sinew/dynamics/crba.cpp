#include "sinew/dynamics/crba.hpp"

#include <algorithm>

#include "sinew/dynamics/rnea.hpp"

namespace sinew {
namespace {

/// Adds a composite whose origin is a step r from the parent's.
void add_shifted(const SpatialInertia& x, const Vec3& r, SpatialInertia& parent) {
  const double trace = 2 * x.h.dot(r) + x.mass * r.squaredNorm();
  parent.mass += x.mass;
  parent.h += x.h + x.mass * r;
  parent.I += x.I - x.h * r.transpose() - r * x.h.transpose() - x.mass * r * r.transpose();
  parent.I.diagonal().array() += trace;
}

void load_composites(const Skeleton& skeleton, SkeletonWorkspace& ws) {
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    const double* I = ws.inertia[ii].I;
    SpatialInertia& x = ws.composite[ii];
    x.mass = skeleton.link(i).mass;
    x.h = ws.inertia[ii].h;
    x.I << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  }
}

/// Of a composite that moves along the axis s.
inline Vec6 momentum(const Link& link, const SpatialInertia& x, const Vec6& s) {
  if (link.kind != LinkKind::revolute_z) return x * s;
  Vec6 out;
  out.head<3>() = x.I * s.head<3>();
  out.tail<3>() = s.head<3>().cross(x.h);
  return out;
}

/// Makes M symmetric. In bands of eight columns, so that lines of the cache are used while they
/// last.
void copy_below_diagonal(MatX& M) {
  constexpr Eigen::Index kBand = 8;
  const Eigen::Index n = M.rows();
  for (Eigen::Index first = 0; first < n; first += kBand)
    for (Eigen::Index row = first + 1; row < n; ++row) {
      const double* const from = &M(first, row);
      double* const to = &M(row, first);
      const Eigen::Index count = std::min(kBand, row - first);
      for (Eigen::Index c = 0; c < count; ++c) to[c * n] = from[c];
    }
}

/// From the tips to the root, with the links' own inertias in ws.composite: adds to M, which is
/// symmetric. Above the diagonal, column by column; then the rest is copied.
void collect_composites(const Skeleton& skeleton, SkeletonWorkspace& ws, MatX& M) {
  const Link* const links = skeleton.links().data();
  const LinkMotion* const motion = ws.link.data();
  const Vec6* const s = ws.s.data();
  for (int i = skeleton.link_count() - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = links[i];
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
      double* const column = M.col(k).data();
      const Vec6 F = momentum(link, ws.composite[ii], s[k]);
      for (int l = link.dof; l <= k; ++l) column[l] += F.dot(s[l]);
      // Moment and force as numbers of their own: these stay in registers.
      double n_x = F[0], n_y = F[1], n_z = F[2];
      const double f_x = F[3], f_y = F[4], f_z = F[5];
      for (int j = i; links[j].parent > 0;) {
        const Vec3& r = motion[j].r;
        n_x += r.y() * f_z - r.z() * f_y;
        n_y += r.z() * f_x - r.x() * f_z;
        n_z += r.x() * f_y - r.y() * f_x;
        j = links[j].parent;
        const Link& above = links[j];
        for (int l = above.dof; l < above.dof + above.dof_count; ++l) {
          double along = n_x * s[l][0] + n_y * s[l][1] + n_z * s[l][2];
          if (above.kind != LinkKind::revolute_z)
            along += f_x * s[l][3] + f_y * s[l][4] + f_z * s[l][5];
          // Coordinates are numbered as bodies were given, not always from the root on.
          (l < k ? column[l] : M(k, l)) += along;
        }
      }
    }
    if (link.parent > 0)
      add_shifted(ws.composite[ii], motion[i].r,
                  ws.composite[static_cast<size_t>(link.parent.value)]);
  }
  copy_below_diagonal(M);
}

}  // namespace

void mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, MatX& M) {
  load_composites(skeleton, ws);
  M.setZero();
  collect_composites(skeleton, ws, M);
}

void add_mass_matrix(const Skeleton& skeleton, const std::vector<SpatialInertia>& carried,
                     SkeletonWorkspace& ws, MatX& M) {
  load_composites(skeleton, ws);
  for (size_t i = 1; i < carried.size(); ++i) ws.composite[i] = ws.composite[i] + carried[i];
  collect_composites(skeleton, ws, M);
}

}  // namespace sinew
