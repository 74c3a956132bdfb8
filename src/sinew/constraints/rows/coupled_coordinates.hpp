#pragma once

#include <span>

#include "sinew/constraints/rows/coupling.hpp"

namespace sinew {

/// The coordinates that couplings give as functions of others, for motions from files, whose values
/// for them are ignored. Couplings that make a coordinate depend on itself in a cycle, or give it a
/// second time, are ignored.
class CoupledCoordinates {
 public:
  CoupledCoordinates() = default;
  explicit CoupledCoordinates(const ConstraintList& constraints);

  /// Ordered so that each comes after those it depends on.
  std::span<const std::shared_ptr<const CoordinateCoupling>> couplings() const {
    return couplings_;
  }
  bool empty() const { return couplings_.empty(); }
  /// The coupling that gives the coordinate; null if none does.
  const CoordinateCoupling* coupling_of(DofIndex dof) const;

  /// Writes them, and their rates and accelerations, from the others.
  void follow(VecX& q, VecX& qdot, VecX& qddot) const;
  /// The same for a pose.
  void follow(VecX& q) const;
  /// Replaces generalised forces on them by forces on the others that do the same work.
  void pass_on(const VecX& q, VecRef force) const;

 private:
  std::vector<std::shared_ptr<const CoordinateCoupling>> couplings_;
};

}  // namespace sinew
