#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/system/state.hpp"

namespace sinew {

/// A skeleton and all that acts on it. Immutable; made by SystemBuilder; safe to share between
/// threads.
class System {
 public:
  const Skeleton& skeleton() const { return skeleton_; }
  const ForceList& forces() const { return forces_; }
  const Vec3& gravity() const { return gravity_; }
  int dof_count() const { return skeleton_.dof_count(); }
  /// Times at which some force jumps, ascending.
  const std::vector<double>& breakpoints() const { return breakpoints_; }

  /// The state at t = 0 that the bodies' default coordinates describe.
  State default_state() const;

 private:
  friend class SystemBuilder;
  System(Skeleton skeleton, ForceList forces, const Vec3& gravity);

  Skeleton skeleton_;
  ForceList forces_;
  Vec3 gravity_;
  std::vector<double> breakpoints_;
};

/// Validates once; throws an Error naming the culprit. Force elements need indices of bodies and
/// coordinates, so the skeleton comes first.
class SystemBuilder {
 public:
  explicit SystemBuilder(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}

  const Skeleton& skeleton() const { return skeleton_; }
  SystemBuilder& set_gravity(const Vec3& gravity);
  SystemBuilder& add_force(std::shared_ptr<const Force> force);
  System build() const;

 private:
  Skeleton skeleton_;
  ForceList forces_;
  Vec3 gravity_{0, -9.80665, 0};
};

}  // namespace sinew
