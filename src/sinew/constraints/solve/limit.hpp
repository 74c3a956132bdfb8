#pragma once

#include "sinew/dynamics/constraint.hpp"

namespace sinew {

/// lower ≤ g ≤ upper for the g of a constraint with one row on position level. Any such constraint
/// will do: a coordinate, a sum of them, a distance.
struct Limit {
  std::shared_ptr<const Constraint> row;
  double lower, upper;     ///< in the unit of g; at least one of them is finite
  double restitution = 0;  ///< speed after over speed before an impact, 0 to 1

  const std::string& name() const { return row->name(); }
  /// Throws an Error naming the limit if it makes no sense on `skeleton`.
  void validate(const Skeleton& skeleton) const;
};

/// Keeps one coordinate between bounds [rad, m].
Limit coordinate_limit(std::string name, DofIndex dof, double lower, double upper,
                       double restitution = 0);

/// A massless rope between x_A on body a and x_B on body b: they are never further apart than
/// `length` [m]. Its row is that of ConstantDistance.
Limit rope(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B,
           double length, double restitution = 0);

}  // namespace sinew
