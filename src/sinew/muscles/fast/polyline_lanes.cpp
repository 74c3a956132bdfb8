#include "sinew/muscles/fast/polyline_lanes_kernel.hpp"
#include "sinew/muscles/fast/vector_unit.hpp"

namespace sinew::lanes {

StraightKernels sse2_straight_kernels() { return straight_kernels<2>(); }

StraightKernels chosen_straight_kernels() {
  static const StraightKernels chosen = [] {
    switch (vector_unit()) {
      case VectorUnit::avx512:
        return avx512_straight_kernels();
      case VectorUnit::avx2:
        return avx2_straight_kernels();
      case VectorUnit::sse2:
        break;
    }
    return sse2_straight_kernels();
  }();
  return chosen;
}

}  // namespace sinew::lanes
