#pragma once

#include "sinew/system/equations.hpp"

namespace sinew::test {

/// A matrix in the layout of a system's nodes, column by column.
inline MatX dense_matrix(const NodeLayout& layout, const MatX& rr, const NodeEntries& nodes) {
  const Eigen::Index n = rr.rows() + layout.dof_count();
  MatX out = MatX::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    add_product(layout, rr, nodes, 1, VecX::Unit(n, k), out.col(k));
  return out;
}

/// The whole of M, ∂g/∂q and ∂g/∂q̇.
struct DenseLinearization {
  DenseLinearization(const System& system, const Linearization& at)
      : M(dense_matrix(system.masses(), at.M, at.M_nodes)),
        dg_dq(dense_matrix(system.nodes(), at.dg_dq, at.dg_dq_nodes)),
        dg_dqdot(dense_matrix(system.nodes(), at.dg_dqdot, at.dg_dqdot_nodes)) {}
  /// A = M + γ ∂g/∂q̇ + γ² ∂g/∂q.
  MatX stage_matrix(double gamma) const { return M + gamma * dg_dqdot + gamma * gamma * dg_dq; }

  MatX M, dg_dq, dg_dqdot;
};

}  // namespace sinew::test
