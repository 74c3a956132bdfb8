#include "sinew/muscles/cylinder_lanes_kernel.hpp"

namespace sinew::lanes {

void evaluate_sse2(const Description& of, const Motion& in, Result& out) {
  evaluate<2>(of, in, out);
}

Kernel best_kernel() {
  static const Kernel best = [] {
    if (const Kernel kernel = avx512_kernel()) return kernel;
    if (const Kernel kernel = avx2_kernel()) return kernel;
    return &evaluate_sse2;
  }();
  return best;
}

}  // namespace sinew::lanes
