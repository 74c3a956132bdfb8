#pragma once

#include <cmath>
#include <utility>

#include "sinew/math/se3.hpp"

namespace sinew {

/// How fast a body moves that two coordinates move: the least and the largest |a q̇₁ + b q̇₂| of
/// unit q̇, the singular values of the matrix (a b).
struct SheetSpeeds {
  double least = 0, largest = 0;
};

inline SheetSpeeds sheet_speeds(Vec6 a, Vec6 b) {
  if (a.squaredNorm() < b.squaredNorm()) std::swap(a, b);
  const double square = a.squaredNorm();
  if (!(square > 0)) return {};
  const double along = a.dot(b) / square;
  const Vec6 across = b - along * a;
  const double difference = square - b.squaredNorm();
  const double largest =
      std::sqrt(0.5 * (square + b.squaredNorm() + std::hypot(difference, 2 * along * square)));
  // Their product is the area, which is exact also where it is small.
  return {std::sqrt(square) * across.norm() / largest, largest};
}

}  // namespace sinew
