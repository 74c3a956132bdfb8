#pragma once

#include "sinew/constraints/contact/hertz_contact_law.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"

namespace sinew {

/// A sphere of a body on a plane of another, or of the world, with the laws of OpenSim's
/// HuntCrossleyForce and SmoothSphereHalfSpaceForce (docs/theory/hertz_contact.md). The force acts
/// between the two surfaces, on both bodies at the same place.
class HertzContact final : public Force {
 public:
  HertzContact(std::string name, BodyIndex body, const Vec3& center_B, double radius,
               const ContactPlane& plane, const HertzContactLaw& law);
  void add_force(const SkeletonAt& in, AppliedForces& out) const override;
  /// The public REDMAX implementation has no such force: both kinds are the true derivatives.
  void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                       ForceDerivatives& out) const override;
  double potential_energy(const SkeletonAt& in) const override;
  int piece(const SkeletonAt& in) const override;
  void validate(const Skeleton& skeleton) const override;
  ForceArrow arrow() const override { return {true, &plane_}; }

 private:
  struct Place;
  Place place(const SkeletonAt& in) const;

  BodyIndex body_;
  Vec3 center_;
  double radius_;
  ContactPlane plane_;
  HertzContactLaw law_;
};

}  // namespace sinew
