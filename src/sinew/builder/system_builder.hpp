#pragma once

#include "sinew/system/system.hpp"

namespace sinew {

struct Muscle;
struct SoftBodySpec;
class SoftBody;

/// Validates once; throws an Error naming the culprit. Forces and constraints need indices of
/// bodies and coordinates, so the skeleton comes first.
class SystemBuilder {
 public:
  explicit SystemBuilder(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}

  const Skeleton& skeleton() const { return skeleton_; }
  SystemBuilder& set_gravity(const Vec3& gravity);
  SystemBuilder& add_force(std::shared_ptr<const Force> force);
  SystemBuilder& add_muscle(const Muscle& muscle);
  SystemBuilder& add_constraint(std::shared_ptr<const Constraint> constraint);
  /// Hyper-reduced coordinates: see CoordinateMap. Defaults of dependent coordinates follow at
  /// once.
  SystemBuilder& map_coordinates(const std::vector<DependentCoordinate>& dependent,
                                 const std::vector<ExtraCoordinate>& extra = {});
  SystemBuilder& add_limit(Limit limit);
  SystemBuilder& add_contact(ContactSurface surface);
  SystemBuilder& add_bearing(JointFriction bearing);
  /// A part defined by the user: see Part.
  SystemBuilder& add_part(std::shared_ptr<const Part> part);
  /// A deformable body. Masses of attached vertices join those of the bodies that carry them at
  /// once.
  SystemBuilder& add_soft_body(const SoftBodySpec& spec);
  /// The surfaces of two bodies (or of one and the world) never meet.
  SystemBuilder& exclude_contact(BodyIndex a, BodyIndex b);
  System build() const;

 private:
  Skeleton skeleton_;
  ForceList forces_;
  std::vector<std::shared_ptr<const Muscle>> muscles_;
  ConstraintList constraints_;
  std::shared_ptr<const CoordinateMap> map_;
  std::vector<Limit> limits_;
  std::vector<ContactSurface> surfaces_;
  std::vector<JointFriction> bearings_;
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded_;
  std::vector<std::shared_ptr<const SoftBody>> soft_;
  PartList parts_;
  Vec3 gravity_{0, -9.80665, 0};
};

}  // namespace sinew
