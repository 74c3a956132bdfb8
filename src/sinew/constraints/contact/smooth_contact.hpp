#pragma once

#include "sinew/constraints/contact/contact_shape.hpp"
#include "sinew/dynamics/contact_plane.hpp"
#include "sinew/dynamics/force.hpp"
#include "sinew/dynamics/smooth_contact_law.hpp"

/// Contact as a force: smooth in state and parameters, for implicit integrators and for gradients.

namespace sinew {

/// A shape that touches, fixed to a body.
struct ContactPart {
  ContactShape shape;
  Pose E_BS;  ///< shape frame in the body frame
};

/// Keeps shapes of a body above a plane: at each contact point the force of SmoothContactLaw acts
/// on the body, and its opposite on the plane's body at the same place. Contact points are
///     sphere: the lowest; capsule: the lowest of either end; cuboid: its eight corners;
///     ellipsoid: the lowest; mesh: every vertex.
/// Cylinders are refused: the lowest point of a rim jumps about when the cylinder stands. The force
/// vanishes exactly where nothing overlaps.
class SmoothContact final : public Force {
 public:
  SmoothContact(std::string name, BodyIndex body, std::vector<ContactPart> parts,
                const ContactPlane& plane, const SmoothContactLaw& law);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  /// The public REDMAX implementation has no such force: both kinds are the true derivatives.
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;
  ForceArrow arrow() const override { return {true, &plane_}; }

 private:
  BodyIndex body_;
  std::vector<ContactPart> parts_;
  ContactPlane plane_;
  SmoothContactLaw law_;
};

}  // namespace sinew
