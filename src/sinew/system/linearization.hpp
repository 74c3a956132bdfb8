#pragma once

#include "sinew/dynamics/node_matrix.hpp"

namespace sinew {

/// Derivatives of the residual g = M q̈ − f at one point: among the coordinates of the skeleton (or
/// the free ones of them), and all entries that involve those of parts.
struct Linearization {
  MatX M;               ///< ∂g/∂q̈
  MatX dg_dq;           ///< ∂g/∂q at constant q̇, q̈
  MatX dg_dqdot;        ///< ∂g/∂q̇
  NodeEntries M_nodes;  ///< in the layout of masses
  NodeEntries dg_dq_nodes, dg_dqdot_nodes;

  /// `r`: coordinates that do not belong to parts.
  void resize(Eigen::Index r, const NodeLayout& masses, const NodeLayout& layout) {
    if (M.rows() != r || !M_nodes.fits(masses, r) || !dg_dq_nodes.fits(layout, r))
      allocate(r, masses, layout);
  }

 private:
  void allocate(Eigen::Index r, const NodeLayout& masses, const NodeLayout& layout);
};

}  // namespace sinew
