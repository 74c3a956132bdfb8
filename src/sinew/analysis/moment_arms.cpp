#include "sinew/analysis/moment_arms.hpp"

#include <Eigen/QR>

#include "sinew/constraints/rows/coupling.hpp"

namespace sinew {

MatX coupled_speeds(const Skeleton& skeleton, const ConstraintList& constraints,
                    const SkeletonWorkspace& ws, const VecX& q) {
  ConstraintList couplers;
  int rows = 0;
  for (const auto& constraint : constraints)
    if (dynamic_cast<const CoordinateCoupling*>(constraint.get()) != nullptr) {
      couplers.push_back(constraint);
      rows += constraint->rows();
    }
  const Eigen::Index n = q.size();
  MatX out = MatX::Identity(n, n);
  if (rows == 0) return out;
  const VecX zero = VecX::Zero(n);
  ConstraintRows constraint_rows(skeleton, rows);
  update_constraint_rows(couplers, {skeleton, 0, q, zero, ws}, constraint_rows);
  const MatX& Gt = constraint_rows.Gt();
  // The projector onto G u = 0; row k over its own entry.
  const MatX free =
      MatX::Identity(n, n) -
      Gt * (Gt.transpose() * Gt).completeOrthogonalDecomposition().solve(MatX(Gt.transpose()));
  for (Eigen::Index k = 0; k < n; ++k)
    if (free(k, k) > 1e-12) out.row(k) = free.row(k) / free(k, k);
  return out;
}

}  // namespace sinew
