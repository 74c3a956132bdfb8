#pragma once

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {

/// The tension of a passive force along a route of length L. It is zero if L is at most
/// `rest_length`. `PathSpring` of OpenSim: T = k (L − rest) (1 + d L̇).
struct PathSpringLaw {
  double stiffness = 0;    ///< k [N/m]
  double dissipation = 0;  ///< d [s/m]
  double rest_length = 0;  ///< [m]
};
/// `Ligament` of OpenSim:  T = strength × curve(L/rest).
struct LigamentLaw {
  double strength = 0;     ///< [N]
  double rest_length = 0;  ///< [m]
  ScalarFunction curve = ConstantFunction{0};
};

/// A passive force along a route. The energy stored in a spring counts as elastic energy, the work
/// of ligaments and of dissipation as power.
class OpenSimPathForce final : public Force {
 public:
  using Law = std::variant<PathSpringLaw, LigamentLaw>;
  OpenSimPathForce(std::shared_ptr<const OpenSimPathOnSkeleton> route, Law law);
  const OpenSimPath& path() const { return route_->path(); }

  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  /// Exact except for surfaces whose touch points are held (see
  /// OpenSimPathOnSkeleton::add_derivatives), and for dissipation if points of the path move with
  /// coordinates.
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  Obstacle obstacle() const override;
  /// Slack or taut.
  int piece(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;
  std::vector<MovingShape> shapes() const override;
  void draw(const SkeletonAt& in, std::vector<double>& points) const override;

 private:
  /// T and its derivatives; energy stored, power of the rest.
  struct Tension {
    double value = 0, by_length = 0, by_rate = 0, energy = 0, power = 0;
  };
  Tension tension(double length, double rate) const;

  std::shared_ptr<const OpenSimPathOnSkeleton> route_;
  Law law_;
};

}  // namespace sinew
