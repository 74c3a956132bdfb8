#pragma once

#include "sinew/dynamics/force.hpp"

namespace sinew {

/// A point that a cable is fixed to or runs through.
struct CablePoint {
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();  ///< body frame [m]
};

/// The tension of a cable of length l with a rest length of L:
///     T = (k (l − L) + d l̇) / L.
/// k and d are those of the material: two metres of a cable stretch twice as far as one.
struct CableLaw {
  double stiffness = 0;    ///< k [N], force per strain
  double damping = 0;      ///< d [N s], force per strain rate
  double rest_length = 0;  ///< L [m]
  /// A cable pulls only: T = 0 if l ≤ L, and never below zero. Otherwise it also pushes.
  bool slack = true;
};

/// A massless elastic cable, straight from point to point, that runs without friction through all
/// points except its ends: one tension all along.
class Cable final : public Force {
 public:
  Cable(std::string name, std::vector<CablePoint> points, const CableLaw& law);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  /// The public REDMAX implementation has no cables where it drops derivatives: both kinds are the
  /// true ones.
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  Obstacle obstacle() const override;
  /// Slack or taut.
  int piece(const SkeletonAt& in) const override { return stretched(in) ? 1 : 0; }
  void validate(const Skeleton& skeleton) const override;
  std::vector<MovingShape> shapes() const override;
  void draw(const SkeletonAt& in, std::vector<double>& points) const override;

 private:
  struct Stretch;
  struct Corner;
  Stretch stretch(const SkeletonAt& in) const;
  bool stretched(const SkeletonAt& in) const;
  Corner corner(const SkeletonAt& in, size_t j) const;

  std::vector<CablePoint> points_;
  CableLaw law_;
};

}  // namespace sinew
