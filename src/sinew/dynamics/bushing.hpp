#pragma once

#include "sinew/dynamics/force.hpp"

namespace sinew {

/// Springs and dampers in all six directions between a frame F on body a and a frame M on body b.
/// With θ the angles of R_FM = R_x(θ₁) R_y(θ₂) R_z(θ₃) and p the origin of M in F,
///     V = ½ Σ k θ² + ½ Σ k p²,   f = −k θ − d θ̇,  −k p − d ṗ,
/// f the forces conjugate to θ and p. OpenSim's BushingForce. Singular at θ₂ = ±π/2.
class Bushing final : public Force {
 public:
  struct Law {
    Vec3 rotational_stiffness = Vec3::Zero();     ///< [N m/rad]
    Vec3 translational_stiffness = Vec3::Zero();  ///< [N/m]
    Vec3 rotational_damping = Vec3::Zero();       ///< [N m s/rad]
    Vec3 translational_damping = Vec3::Zero();    ///< [N s/m]
  };
  Bushing(std::string name, BodyIndex a, const Pose& E_AF, BodyIndex b, const Pose& E_BM,
          const Law& law);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  template <class T>
  struct Ends;
  template <class T>
  struct Result;
  template <class T>
  Result<T> evaluate(const Ends<T>& ends) const;
  template <class T>
  Ends<T> ends(const SkeletonAt& in) const;

  BodyIndex a_, b_;
  Pose E_AF_, E_BM_;
  Law law_;
};

}  // namespace sinew
