// Compiled for AVX2 if the compiler has it (src/CMakeLists.txt).
#ifdef __AVX2__
#include "sinew/muscles/fast/cylinder_lanes_kernel.hpp"

namespace sinew::lanes {

Kernel avx2_kernel() { return __builtin_cpu_supports("avx2") ? &evaluate<4> : nullptr; }

}  // namespace sinew::lanes
#else
#include "sinew/muscles/fast/cylinder_lanes.hpp"

namespace sinew::lanes {

Kernel avx2_kernel() { return nullptr; }

}  // namespace sinew::lanes
#endif
