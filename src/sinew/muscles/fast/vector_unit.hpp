#pragma once

namespace sinew::lanes {

/// The instructions with which muscles in lanes are evaluated; the same bits from each.
enum class VectorUnit { sse2, avx2, avx512 };

/// The widest that this machine has, unless the environment's SINEW_VECTOR_UNIT names another one:
/// "sse2", "avx2" or "avx512", for tests and measurements. Decided at the first call. Throws an
/// Error where the variable names none, or one that the machine does not have.
VectorUnit vector_unit();

}  // namespace sinew::lanes
