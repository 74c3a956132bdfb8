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

}  // namespace sinew
