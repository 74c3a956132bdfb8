#pragma once

#include <array>

#include "sinew/dynamics/force.hpp"

namespace sinew {

/// Where the hand is that pulls a body.
struct PullInput {
  BodyIndex body = kWorld;       ///< kWorld: nothing is pulled
  Vec3 x_B = Vec3::Zero();       ///< the point held, body frame [m]
  Vec3 target_W = Vec3::Zero();  ///< where it shall be [m]
  double stiffness = 0;          ///< [N/m]
  double damping = 0;            ///< [N s/m]

  bool active() const { return body != kWorld; }

  static constexpr int kControls = 9;
  /// As controls of a PullForce, and back.
  std::array<double, kControls> to_controls() const;
  static PullInput FromControls(const double* controls);
};

/// f = k (x* − x) − d ẋ at the point held: a spring to the hand, and a damper to the world that
/// acts in all directions, so that the body comes to rest where it is held.
class PullForce final : public Force {
 public:
  explicit PullForce(std::string name) : Force(std::move(name)) {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  std::vector<Control> controls() const override;
  void validate(const Skeleton&) const override {}
};

/// A spring that brings a mass to the hand: k = m ω² and d = 2 ζ m ω, ω = 2π · 3 Hz and ζ = 0.7.
/// `explicit_step` [s], where the integrator is explicit (else 0), bounds ω so that steps stay
/// stable.
struct HandSpring {
  double stiffness, damping;
};
HandSpring hand_spring(double mass, double explicit_step);

/// Stiffness and damping that suit what is pulled: with the mass m of the body and of all that it
/// carries, as hand_spring says; where the integrator is explicit, with the body's own mass alone.
void tune_pull(const Skeleton& skeleton, double explicit_step, PullInput& pull);

}  // namespace sinew
