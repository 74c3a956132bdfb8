#include "sinew/math/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace sinew {

SymmetricEigen symmetric_eigen(const Eigen::Ref<const MatX>& A) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace sinew
