#pragma once

#include <span>

#include "sinew/constraints/rows/coupling.hpp"

namespace sinew {

/// The coordinates that couplings give as functions of others, for motions that come from outside:
/// what a file says of them is not asked. Couplings that make a coordinate depend on itself in a
/// round, or a second time, give nothing.
class CoupledCoordinates {
 public:
  CoupledCoordinates() = default;
  explicit CoupledCoordinates(const ConstraintList& constraints);

  /// In an order in which those that others depend on come first.
  std::span<const std::shared_ptr<const CoordinateCoupling>> couplings() const {
    return couplings_;
  }
  bool empty() const { return couplings_.empty(); }
  /// The coupling that gives the coordinate; null if none does.
  const CoordinateCoupling* coupling_of(DofIndex dof) const;

  /// Writes them, and their rates and accelerations, from the others.
  void follow(VecX& q, VecX& qdot, VecX& qddot) const;
  /// The same of a pose.
  void follow(VecX& q) const;

 private:
  std::vector<std::shared_ptr<const CoordinateCoupling>> couplings_;
};

}  // namespace sinew
