#pragma once

#include <string>

#include "sinew/math/se3.hpp"

/// Checks of joint parameters. All throw Error naming `element`.

namespace sinew {

/// Throws Error(element, problem, remedy) unless `holds`.
void require(bool holds, const std::string& element, const std::string& problem,
             const std::string& remedy);

/// `axis` as a unit vector; unchanged if it has no direction (zero or not finite), for require_axis
/// to find.
Vec3 normalized_axis(const Vec3& axis);
/// Requires that `axis`, made by normalized_axis, is a unit vector. `what` names it ("axis").
void require_axis(const Vec3& axis, const std::string& element, const std::string& what);

/// Distance of R from a rotation: the largest entry of RᵀR − 1, infinite for a reflection or NaN.
double rotation_defect(const Mat3& R);
/// A rotation typed in with six digits is repaired; one that is worse is a mistake.
inline constexpr double kRotationTolerance = 1e-6;

}  // namespace sinew
