#pragma once

#include <cstdint>
#include <vector>

#include "sinew/model/skeleton.hpp"

/// Scratch of the skeleton's algorithms, grouped by the function that fills it. Everything here may
/// be discarded between two calls.
///
/// Frames. Unless said otherwise a link's spatial quantities are in **world axes, about the link's
/// own origin**: twist (ω; velocity of the origin), acceleration (ω̇; acceleration of the origin),
/// wrench (moment about the origin; force). World axes spare every rotation in the recursions, the
/// local origin keeps the digits of a long chain far from the world's origin.

namespace sinew {

/// The pose and motion of a link. Filled by update_kinematics.
struct LinkMotion {
  Mat3 R;         ///< R_WL
  Vec3 p;         ///< origin, world [m]
  Vec3 r;         ///< from the parent's origin to this one [m]
  Vec3 w, v;      ///< angular velocity; velocity of the origin
  Vec3 c_w, c_v;  ///< acceleration the link would have with q̈ = 0 and an unaccelerated parent
};

/// Rigid inertia of a link in world axes about its origin. Filled by update_inertias.
struct LinkInertia {
  double I[6];  ///< symmetric: xx xy xz yy yz zz
  Vec3 h;       ///< first moment
};

/// A link and everything it carries, after its own joint has yielded: the articulated
/// inertia [A B; Bᵀ C] about the link's origin, and the factors of the joint's elimination. Filled
/// by factor_mass_matrix.
struct ArticulatedLink {
  double A[6], C[6];  ///< symmetric: xx xy xz yy yz zz
  double B[9];        ///< row by row
  Vec3 U_n, U_f;      ///< one-axis joints: inertia × axis
  double D_inv = 0;   ///< one-axis joints: 1/(axisᵀ U)
};

/// The factors of a joint of several coordinates or with a moving axis.
struct GenericElimination {
  Mat6Xb S;  ///< world axes, about the link's origin
  Mat6Xb U;  ///< articulated inertia × S
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6> D_inv;
};

struct SkeletonWorkspace {
  explicit SkeletonWorkspace(const Skeleton& skeleton);

  // update_kinematics
  std::vector<LinkMotion> link;    ///< per link; 0 is the world
  std::vector<JointMotion> joint;  ///< per link; filled for generic links only
  std::vector<Vec6> s;             ///< per coordinate: ∂twist/∂q̇ of its link
  VecX placed_q;                   ///< q to which R, p, r and s belong; empty at first
  std::uint64_t placements = 0;    ///< number of times these were written

  // update_inertias
  std::vector<LinkInertia> inertia;  ///< per link

  // update_link_forces, inverse_dynamics: acceleration less gravity, and the wrench that the joint
  // transmits
  std::vector<Vec6> a;  ///< per link
  std::vector<Vec6> F;  ///< per link

  // factor_mass_matrix
  std::vector<ArticulatedLink> articulated;     ///< per link
  std::vector<GenericElimination> elimination;  ///< per link; filled for generic links only

  // solve_mass_matrix
  std::vector<double> impulse;  ///< per link and right-hand side, two at most: force carried
                                ///< towards the root, then the response

  // mass_matrix
  std::vector<SpatialInertia> composite;  ///< per link, world axes about the link's origin
};

}  // namespace sinew
