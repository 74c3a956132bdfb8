#include "sinew/muscles/fast/cylinder_lanes_kernel.hpp"
#include "sinew/muscles/fast/vector_unit.hpp"

namespace sinew::lanes {

void evaluate_sse2(const Description& of, const Motion& in, Result& out) {
  evaluate<2>(of, in, out);
}

Kernel chosen_kernel() {
  static const Kernel chosen = [] {
    switch (vector_unit()) {
      case VectorUnit::avx512:
        return avx512_kernel();
      case VectorUnit::avx2:
        return avx2_kernel();
      case VectorUnit::sse2:
        break;
    }
    return &evaluate_sse2;
  }();
  return chosen;
}

}  // namespace sinew::lanes
