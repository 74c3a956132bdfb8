#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/math/time_function.hpp"

namespace sinew {

/// A measured load on a body: force, point of application and free torque over time, as force
/// plates give them. The point is fixed in space or on another body; the loaded body may move under
/// it.
class ExternalLoad final : public Force {
 public:
  /// The frames of the numbers: the world's or a body's.
  struct Frames {
    BodyIndex force = kWorld;  ///< frame of force and torque
    BodyIndex point = kWorld;
  };

  /// Three numbers over time each.
  struct Data {
    std::array<TimeFunction, 3> force{0.0, 0.0, 0.0};   ///< [N]
    std::array<TimeFunction, 3> point{0.0, 0.0, 0.0};   ///< [m]
    std::array<TimeFunction, 3> torque{0.0, 0.0, 0.0};  ///< [N m]
  };

  ExternalLoad(std::string name, BodyIndex body, Frames frames, Data data);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  std::vector<double> breakpoints() const override;
  void validate(const Skeleton& skeleton) const override;
  ForceArrow arrow() const override { return {.drawn = true}; }

 private:
  /// All in world axes.
  struct Load {
    Vec3 force, torque;
    Vec3 point;  ///< world
  };
  Load evaluate(const SkeletonAt& in) const;

  BodyIndex body_;
  Frames frames_;
  Data data_;
};

}  // namespace sinew
