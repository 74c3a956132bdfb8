#include "sinew/dynamics/part.hpp"

#include "sinew/core/error.hpp"

namespace sinew {

void Part::add_control_derivatives(const PartAt&, PartScratch&, MatRef) const {
  throw Error("part", "does not say how it depends on its controls",
              "override Part::add_control_derivatives");
}

void PartMass::resize(const Skeleton& skeleton, const NodeLayout& masses) {
  carried.resize(static_cast<size_t>(skeleton.link_count()));
  rr.resize(skeleton.dof_count(), skeleton.dof_count());
  layout = &masses;
  nodes.resize(masses, skeleton.dof_count());
}

void PartMass::set_zero() {
  for (SpatialInertia& inertia : carried) inertia = SpatialInertia();
  rr.setZero();
  nodes.set_zero();
}

void update_point_jacobian(const SkeletonAt& in, const AttachedPoint& point, Eigen::Matrix3Xd& J) {
  for (int i = point.link; i > 0; i = in.skeleton.link(i).parent) {
    const Link& link = in.skeleton.link(i);
    const Vec3 d = point.position - in.ws.link[static_cast<size_t>(i)].p;
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
      const Vec6& s = in.ws.s[static_cast<size_t>(k)];
      J.col(k) = s.tail<3>() + s.head<3>().cross(d);
    }
  }
}

void update_point_jacobian_rate(const SkeletonAt& in, const AttachedPoint& point,
                                const DerivativeWorkspace& dws, Eigen::Matrix3Xd& Jdot) {
  // The axes in dws share the origin of the first link.
  const Vec3 d = point.position - common_origin(in.ws);
  for (int i = point.link; i > 0; i = in.skeleton.link(i).parent) {
    const Link& link = in.skeleton.link(i);
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
      const Vec6 &s = dws.s[static_cast<size_t>(k)], &sdot = dws.sdot[static_cast<size_t>(k)];
      Jdot.col(k) = sdot.tail<3>() + sdot.head<3>().cross(d) + s.head<3>().cross(point.velocity);
    }
  }
}

std::vector<PartColumns> Part::columns() const {
  PartColumns out{"parts", {}};
  for (int k = 0; k < dof_count(); ++k) out.names.push_back(dof_name(k));
  return {out};
}

void Part::measure(const PartAt& at, PartScratch&, std::vector<double>& out) const {
  const double* const q = at.skeleton.q.data() + at.dof;
  out.insert(out.end(), q, q + dof_count());
}

void Part::recall(std::span<const double> values, VecRef q) const {
  for (size_t k = 0; k < values.size(); ++k) q[static_cast<Eigen::Index>(k)] = values[k];
}

}  // namespace sinew
