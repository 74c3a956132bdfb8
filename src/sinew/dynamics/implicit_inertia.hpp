#pragma once

#include "sinew/dynamics/force.hpp"

/// The matrix of an implicit step without its entries. With J the map from q̇ to the twists of all
/// links, and K, D the derivatives of the forces on them,
///     H = Jᵀ (M_m − h D − h² K) J + diag(…),
/// the last for forces on single coordinates. H is dense along every path to the root, but J and
/// the matrices between its two occurrences are sparse: one multiplication is two sweeps over the
/// tree. Without the blocks that couple two links the middle is an inertia per link, and the
/// articulated-body recursion factors it in O(n): the projected block-Jacobi preconditioner of
/// REDMAX (Wang et al. 2019). docs/theory/large_systems.md.

namespace sinew {

/// The term added to M_m above: the symmetric part of c_D D + c_K K.
struct ImplicitInertia {
  explicit ImplicitInertia(const Skeleton& skeleton);
  void set(const ForceDerivatives& forces, double c_D, double c_K);

  /// A block; its transpose stands at (b, a).
  struct Pair {
    int a = 0, b = 0;
    Mat6 A;
  };
  struct CoordinatePair {
    int i = 0, j = 0;
    double a = 0;
  };
  std::vector<Mat6> link;                        ///< per link
  std::vector<char> touched;                     ///< per link: whether that is not zero
  std::vector<Pair> pairs;                       ///< between different links
  VecX joint;                                    ///< per coordinate
  std::vector<CoordinatePair> coordinate_pairs;  ///< between different coordinates
};

enum class RigidInertia { without, with };

/// y = H x, with or without the inertia of the links. Writes ws.a and ws.F. Needs update_kinematics
/// and, with inertia, update_inertias.
void multiply(const Skeleton& skeleton, const ImplicitInertia& added, RigidInertia rigid,
              const VecX& x, SkeletonWorkspace& ws, VecX& y);

/// Factors H without terms that couple links or coordinates, in O(n), where factor_mass_matrix
/// leaves its own: solve_mass_matrix then solves with it. False if it is not positive definite; the
/// factors are then useless. Needs update_inertias.
bool factor_implicit_inertia(const Skeleton& skeleton, const ImplicitInertia& added,
                             SkeletonWorkspace& ws);

}  // namespace sinew
