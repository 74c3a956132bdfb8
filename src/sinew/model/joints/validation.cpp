#include "sinew/model/joints/validation.hpp"

#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {

void require(bool holds, const std::string& element, const std::string& problem,
             const std::string& remedy) {
  if (!holds) throw Error(element, problem, remedy);
}

Vec3 normalized_axis(const Vec3& axis) {
  const double norm = axis.stableNorm();
  return std::isfinite(norm) && norm > 0 ? Vec3(axis / norm) : axis;
}

void require_axis(const Vec3& axis, const std::string& element, const std::string& what) {
  require(axis.allFinite(), element, what + " is not finite", "give three finite numbers");
  // It is a unit vector up to rounding; anything else had no direction to normalise.
  require(std::abs(axis.norm() - 1) < 1e-9, element, what + " has no direction",
          "give a vector that is not zero");
}

double rotation_defect(const Mat3& R) {
  if (!R.allFinite() || R.determinant() <= 0) return std::numeric_limits<double>::infinity();
  return (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
}

}  // namespace sinew
