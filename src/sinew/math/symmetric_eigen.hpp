#pragma once

#include "sinew/math/types.hpp"

namespace sinew {

/// Eigenvalues of a symmetric matrix in ascending order, and its unit eigenvectors as columns.
struct SymmetricEigen {
  VecX values;
  MatX vectors;
};

/// Reads the lower triangle. In a file of its own because the compiler takes seconds for it.
SymmetricEigen symmetric_eigen(const Eigen::Ref<const MatX>& A);

}  // namespace sinew
