#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/dynamics/force.hpp"
#include "sinew/math/spatial_inertia.hpp"

/// The contribution of a span's mass to the equation of motion: equation (11) of
/// docs/theory/muscles.md.

namespace sinew {

/// Destinations of the contributions of muscles with mass to the equation of motion.
struct MuscleSums {
  std::vector<SpatialInertia>& carried;  ///< per link, world axes about the link's origin
  MatX& M;                               ///< all mass not carried rigidly by a link
  VecX& tau;                             ///< forces on coordinates
};

/// Sums over the mass of a span, in axes of its frame S about the origin of S; K coordinates change
/// its shape.
template <int K>
struct SpanMass {
  double mass = 0;
  Vec3 h = Vec3::Zero();
  std::array<double, 6> E{};  ///< ∫ y yᵀ dm: xx xy xz yy yz zz
  Vec3 torque = Vec3::Zero(), force = Vec3::Zero();
  std::array<Vec3, K> momentum_n, momentum_f;  ///< angular and linear, per unit rate
  std::array<double, K> tau{};
  double M[K][K] = {};  ///< lower triangle

  SpanMass() {
    momentum_n.fill(Vec3::Zero());
    momentum_f.fill(Vec3::Zero());
  }
};

/// Adds the sums of a span to those of all: S has the orientation R and is `d` from the origin of
/// its link, world axes; `dofs` are the coordinates that change its shape.
template <int K>
void scatter(const SkeletonAt& in, const Mat3& R, const Vec3& d, int link,
             std::span<const int> dofs, const SpanMass<K>& from, MuscleSums& sums,
             std::vector<Vec6>& wrench) {
  for (size_t k = 0; k < dofs.size(); ++k) {
    sums.tau[dofs[k]] += from.tau[k];
    for (size_t l = 0; l <= k; ++l) {
      sums.M(dofs[k], dofs[l]) += from.M[k][l];
      if (k != l) sums.M(dofs[l], dofs[k]) += from.M[k][l];
    }
  }
  if (link == 0) return;
  const auto at = static_cast<size_t>(link);
  const Vec3 force = R * from.force;
  wrench[at].head<3>() += R * from.torque + d.cross(force);
  wrench[at].tail<3>() += force;

  // ∫ y yᵀ dm about the link's origin, world axes; then I = tr − that.
  const std::array<double, 6>& e = from.E;
  Mat3 E;
  E << e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5];
  const Vec3 h = R * from.h;
  const Mat3 half = (h + 0.5 * from.mass * d) * d.transpose();
  E = R * E * R.transpose() + half + half.transpose();
  SpatialInertia& carried = sums.carried[at];
  carried.mass += from.mass;
  carried.h += h + from.mass * d;
  carried.I -= E;
  carried.I.diagonal().array() += E.trace();

  for (size_t k = 0; k < dofs.size(); ++k) {
    // The momentum that coordinate k gives the span, which acts on every joint that carries the
    // frame.
    const Vec3 linear = R * from.momentum_f[k];
    Vec3 angular = R * from.momentum_n[k] + d.cross(linear);
    for (int j = link; j > 0; j = in.skeleton.link(j).parent) {
      const Link& above = in.skeleton.link(j);
      for (int l = above.dof; l < above.dof + above.dof_count; ++l) {
        const Vec6& s = in.ws.s[static_cast<size_t>(l)];
        const double M = s.head<3>().dot(angular) + s.tail<3>().dot(linear);
        sums.M(dofs[k], l) += M;
        sums.M(l, dofs[k]) += M;
      }
      angular += in.ws.link[static_cast<size_t>(j)].r.cross(linear);
    }
  }
}

}  // namespace sinew
