#pragma once

namespace sinew::lanes {

/// The instruction sets for muscles in lanes; all give the same bits.
enum class VectorUnit { sse2, avx2, avx512 };

/// The widest that this machine has, unless the environment variable SINEW_VECTOR_UNIT names
/// another: "sse2", "avx2" or "avx512", for tests and measurements. Decided at the first call.
/// Throws an Error if the variable names no vector unit, or one that the machine does not have.
VectorUnit vector_unit();

}  // namespace sinew::lanes
