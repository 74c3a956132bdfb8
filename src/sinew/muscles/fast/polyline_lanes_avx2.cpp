// Compiled for AVX2 if the compiler has it (src/CMakeLists.txt).
#ifdef __AVX2__
#include "sinew/muscles/fast/polyline_lanes_kernel.hpp"

namespace sinew::lanes {

StraightKernels avx2_straight_kernels() {
  return __builtin_cpu_supports("avx2") ? straight_kernels<4>() : nullptr;
}

}  // namespace sinew::lanes
#else
#include "sinew/muscles/fast/polyline_lanes.hpp"

namespace sinew::lanes {

StraightKernels avx2_straight_kernels() { return nullptr; }

}  // namespace sinew::lanes
#endif
