#include "sinew/muscles/straight_lanes_kernel.hpp"

namespace sinew::lanes {

StraightKernels sse2_straight_kernels() { return straight_kernels<2>(); }

StraightKernels best_straight_kernels() {
  static const StraightKernels best = [] {
    if (const StraightKernels kernels = avx512_straight_kernels()) return kernels;
    if (const StraightKernels kernels = avx2_straight_kernels()) return kernels;
    return sse2_straight_kernels();
  }();
  return best;
}

}  // namespace sinew::lanes
