#include "sinew/math/body_angles.hpp"

#include <cmath>

namespace sinew {

Vec3 body_fixed_xyz(const Mat3& R) {
  // The cosine from the rest of its row: exact where b is near ±π/2 and the sine is not.
  const double cosine = std::hypot(R(0, 0), R(0, 1));
  const double b = std::atan2(R(0, 2), cosine);
  if (cosine < 1e-12) return {std::atan2(R(2, 1), R(1, 1)), b, 0};
  return {std::atan2(-R(1, 2), R(2, 2)), b, std::atan2(-R(0, 1), R(0, 0))};
}

}  // namespace sinew
