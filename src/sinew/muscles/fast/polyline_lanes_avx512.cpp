// Compiled for AVX512F if the compiler has it (src/CMakeLists.txt).
#ifdef __AVX512F__
#include "sinew/muscles/fast/polyline_lanes_kernel.hpp"

namespace sinew::lanes {

StraightKernels avx512_straight_kernels() {
  return __builtin_cpu_supports("avx512f") ? straight_kernels<8>() : nullptr;
}

}  // namespace sinew::lanes
#else
#include "sinew/muscles/fast/polyline_lanes.hpp"

namespace sinew::lanes {

StraightKernels avx512_straight_kernels() { return nullptr; }

}  // namespace sinew::lanes
#endif
