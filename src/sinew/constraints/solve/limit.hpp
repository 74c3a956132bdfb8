#pragma once

#include "sinew/dynamics/limit.hpp"

namespace sinew {

/// Keeps one coordinate between bounds [rad, m].
Limit coordinate_limit(std::string name, DofIndex dof, double lower, double upper,
                       double restitution = 0);

/// A massless rope between x_A on body a and x_B on body b: they are never further apart than
/// `length` [m]. Its row is that of ConstantDistance.
Limit rope(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B,
           double length, double restitution = 0);

}  // namespace sinew
