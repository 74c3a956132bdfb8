#include "sinew/dynamics/crba.hpp"

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

/// From the tips to the root, with the links' own inertias in ws.composite: adds to M.
void collect_composites(const Skeleton& skeleton, SkeletonWorkspace& ws, MatX& M) {
  const auto add = [&M](int k, int l, double m) {
    M(k, l) += m;
    M(l, k) += m;
  };
  for (int i = skeleton.link_count() - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
      Vec6 F = momentum(link, ws.composite[ii], ws.s[static_cast<size_t>(k)]);
      for (int l = link.dof; l < k; ++l) add(k, l, F.dot(ws.s[static_cast<size_t>(l)]));
      M(k, k) += F.dot(ws.s[static_cast<size_t>(k)]);
      for (int j = i; skeleton.link(j).parent > 0;) {
        F.head<3>() += ws.link[static_cast<size_t>(j)].r.cross(F.tail<3>());
        j = skeleton.link(j).parent;
        const Link& above = skeleton.link(j);
        for (int l = above.dof; l < above.dof + above.dof_count; ++l)
          add(k, l, F.dot(ws.s[static_cast<size_t>(l)]));
      }
    }
    if (link.parent > 0)
      add_shifted(ws.composite[ii], ws.link[ii].r,
                  ws.composite[static_cast<size_t>(link.parent.value)]);
  }
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
