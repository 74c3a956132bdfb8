// Compiled for AVX512F if the compiler has it (src/CMakeLists.txt).
#ifdef __AVX512F__
#include "sinew/muscles/fast/cylinder_lanes_kernel.hpp"

namespace sinew::lanes {

Kernel avx512_kernel() { return __builtin_cpu_supports("avx512f") ? &evaluate<8> : nullptr; }

}  // namespace sinew::lanes
#else
#include "sinew/muscles/fast/cylinder_lanes.hpp"

namespace sinew::lanes {

Kernel avx512_kernel() { return nullptr; }

}  // namespace sinew::lanes
#endif
