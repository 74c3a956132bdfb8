#pragma once

#include <new>
#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

using VecMap = Eigen::Map<VecX>;
using MatMap = Eigen::Map<MatX>;

/// Largest |entry|, 0 if there is none.
inline double largest(const VecMap& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0; }

/// One block of memory that only grows, cut into vectors and matrices: problems whose size changes
/// from solve to solve (contacts come and go) stop allocating once the largest has been seen.
class QpMemory {
 public:
  /// All earlier cuts become invalid.
  void reset(Eigen::Index total) {
    if (static_cast<std::size_t>(total) > block_.size())
      block_.resize(static_cast<std::size_t>(total));
    used_ = 0;
  }
  // Placement new is Eigen's way to point a Map elsewhere; assignment would copy the entries.
  void cut(VecMap& v, Eigen::Index n) { new (&v) VecMap(take(n), n); }
  void cut(MatMap& A, Eigen::Index rows, Eigen::Index cols) {
    new (&A) MatMap(take(rows * cols), rows, cols);
  }

 private:
  double* take(Eigen::Index count) {
    double* piece = block_.data() + used_;
    used_ += static_cast<std::size_t>(count);
    eigen_assert(used_ <= block_.size());
    return piece;
  }

  std::vector<double> block_;
  std::size_t used_ = 0;
};

}  // namespace sinew
