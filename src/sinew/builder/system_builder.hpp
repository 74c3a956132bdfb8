#pragma once

#include "sinew/builder/run_start.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

struct DescribedStrand;
struct Muscle;
struct SoftBodySpec;
struct Strand;
struct StrandGuide;
struct StrandNode;
class SoftBody;

/// Validates once; throws an Error naming the culprit. Forces and constraints need indices of
/// bodies and coordinates, so the skeleton comes first.
class SystemBuilder {
 public:
  explicit SystemBuilder(Skeleton skeleton);

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
  /// A node of strands, and a strand through nodes, which are named by then or later. Beads of
  /// nodes on bodies join the mass of these at once.
  SystemBuilder& add_strand_node(const StrandNode& node);
  SystemBuilder& add_strand(const Strand& strand);
  /// Both: a cable, a chain.
  SystemBuilder& add(const DescribedStrand& described);
  /// A surface that strands name.
  SystemBuilder& add_strand_guide(const StrandGuide& guide);
  /// The surfaces of two bodies (or of one and the world) never meet.
  SystemBuilder& exclude_contact(BodyIndex a, BodyIndex b);
  /// The system starts and is driven like this; coupled coordinates follow the others. To be called
  /// last: it knows the coordinates, couplings and muscles that are there. Throws an Error for
  /// names that are not.
  SystemBuilder& start(const RunStart& run);
  System build() const;

 private:
  void start_coordinates(const RunStart& run);
  void start_muscles(const RunStart& run);
  std::shared_ptr<const Strands> make_strands() const;
  void drive(System& system) const;

  Skeleton skeleton_;
  ForceList forces_;
  std::vector<std::shared_ptr<const Muscle>> muscles_;
  ConstraintList constraints_;
  std::shared_ptr<const CoordinateMap> map_;
  std::vector<DependentCoordinate> dependent_;  ///< that the map is made of
  std::vector<ExtraCoordinate> extra_;
  std::vector<Limit> limits_;
  std::vector<ContactSurface> surfaces_;
  std::vector<JointFriction> bearings_;
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded_;
  std::vector<std::shared_ptr<const SoftBody>> soft_;
  std::vector<std::shared_ptr<const StrandNode>> strand_nodes_;
  std::vector<std::shared_ptr<const StrandGuide>> strand_guides_;
  std::vector<std::shared_ptr<const Strand>> strands_;
  PartList parts_;
  RunStart drive_;  ///< its controls and excitation
  Vec3 gravity_{0, -9.80665, 0};
};

}  // namespace sinew
