#pragma once

#include "sinew/constraints/solve/unilateral_rows.hpp"
#include "sinew/dynamics/force.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/system/controls.hpp"
#include "sinew/system/coordinate_map.hpp"
#include "sinew/system/feature.hpp"

namespace sinew {

struct OpenSimPath;
struct Muscle;
class MuscleElement;
struct HillDescription;
struct HillElement;
struct SoftBodySpec;
struct SoftBodies;
struct Workspace;

using MuscleList = std::vector<std::shared_ptr<const MuscleElement>>;
using HillList = std::vector<std::shared_ptr<const HillElement>>;

/// A skeleton and all that acts on it. Immutable; made by SystemBuilder; safe to share between
/// threads.
class System {
 public:
  const Skeleton& skeleton() const { return skeleton_; }
  const ForceList& forces() const { return forces_; }
  /// As they are used: closures of planar loops with the rows that they need (see Closure).
  const ConstraintList& constraints() const { return constraints_; }
  /// Limits and contacts: what only some integrators can step (see `step`).
  const UnilateralElements& unilaterals() const { return unilaterals_; }
  const MuscleList& muscles() const { return muscles_; }
  /// Whether any muscle has mass: then the mass matrix is more than the skeleton's.
  bool has_massive_muscles() const { return has(Feature::massive_muscles); }
  /// Muscles with activation, fibres and tendons: some of muscles(), and those on routes.
  const HillList& hill_muscles() const { return hill_; }
  const Vec3& gravity() const { return gravity_; }
  /// What a State is made of: the skeleton's coordinates or, where some depend on others, the free
  /// ones.
  const std::vector<Coordinate>& coordinates() const {
    return map_ ? map_->coordinates() : skeleton_.coordinates();
  }
  /// Entries of a state's q: the coordinates, then three for each free vertex of deformable bodies.
  int dof_count() const { return static_cast<int>(coordinates().size()) + vertex_dofs_; }
  /// Deformable bodies, and where their vertices are in a state; null without any.
  const SoftBodies* soft() const { return soft_.get(); }
  /// All that results show, dependent ones among them: see expand_coordinates.
  const std::vector<Coordinate>& all_coordinates() const {
    return map_ ? map_->all_coordinates() : skeleton_.coordinates();
  }
  /// Null where no coordinate depends on others.
  const CoordinateMap* coordinate_map() const { return map_.get(); }
  /// What it has of Feature, one bit each.
  unsigned features() const { return features_; }
  bool has(Feature feature) const { return (features_ & bit(feature)) != 0; }
  /// Inputs, and what the model says about them: tensions of muscles that have one, in the order of
  /// muscles(), excitations in the order of hill_muscles(), then controls of forces.
  const ControlSchedule& controls() const { return controls_; }
  /// Where a force's controls begin among them.
  int first_control(size_t force) const { return force_control_[force]; }
  /// The control that is a muscle's tension; −1: it has none of its own.
  int tension_control(size_t muscle) const { return tension_control_[muscle]; }
  /// The control that is a Hill muscle's excitation.
  int excitation_control(size_t hill) const { return excitation_control_[hill]; }
  /// Times at which some force or prescribed motion jumps, controls apart, ascending.
  const std::vector<double>& breakpoints() const { return breakpoints_; }

  /// The state at t = 0 that the bodies' default coordinates describe, moved to the nearest one (in
  /// the metric of the masses) that satisfies constraints, limits and contacts.
  State default_state() const;
  /// The same without that move.
  State described_state() const;

  /// Constraints whose rows depend on those of others, in words, one each; found at the default
  /// state. They are solved in the least-squares sense: the motion is right, how the load divides
  /// between them is a choice.
  const std::vector<std::string>& redundancies() const { return redundancies_; }
  /// Rows of constraints that do not depend on others, there: each takes a degree of freedom away.
  int independent_rows() const { return independent_rows_; }
  /// The constraint that a row of the stacked rows belongs to.
  int constraint_of_row(int row) const;

 private:
  friend class SystemBuilder;
  System(Skeleton skeleton, std::shared_ptr<const CoordinateMap> map, ForceList forces,
         MuscleList muscles, HillList hill, ConstraintList constraints,
         UnilateralElements unilaterals, std::shared_ptr<const SoftBodies> soft,
         const Vec3& gravity);
  /// Finds the default state; throws an Error naming the constraint that cannot be satisfied.
  void assemble();
  void assemble_constraints(State& state, Workspace& ws);
  void collect_controls();
  void collect_features();

  Skeleton skeleton_;
  std::shared_ptr<const CoordinateMap> map_;
  ForceList forces_;
  MuscleList muscles_;
  HillList hill_;
  ConstraintList constraints_;
  UnilateralElements unilaterals_;
  std::shared_ptr<const SoftBodies> soft_;
  int vertex_dofs_ = 0;
  unsigned features_ = 0;
  VecX q0_, qdot0_;  // default state; of systems with constraints, limits or contacts
  VecX z0_;          // of systems with Hill muscles
  std::vector<std::string> redundancies_;
  int independent_rows_ = 0;
  Vec3 gravity_;
  std::vector<double> breakpoints_;
  ControlSchedule controls_;
  std::vector<int> force_control_, tension_control_, excitation_control_;
};

/// Validates once; throws an Error naming the culprit. Forces and constraints need indices of
/// bodies and coordinates, so the skeleton comes first.
class SystemBuilder {
 public:
  explicit SystemBuilder(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}

  const Skeleton& skeleton() const { return skeleton_; }
  SystemBuilder& set_gravity(const Vec3& gravity);
  SystemBuilder& add_force(std::shared_ptr<const Force> force);
  SystemBuilder& add_muscle(const Muscle& muscle);
  /// A path whose tension is that of a Hill muscle; its own must be zero.
  SystemBuilder& add_hill_muscle(const Muscle& path, const HillDescription& hill);
  /// The same along a path as OpenSim has them.
  SystemBuilder& add_hill_muscle(const OpenSimPath& path, const HillDescription& hill);
  SystemBuilder& add_constraint(std::shared_ptr<const Constraint> constraint);
  /// Hyper-reduced coordinates: see CoordinateMap. Defaults of dependent coordinates follow at
  /// once.
  SystemBuilder& map_coordinates(const std::vector<DependentCoordinate>& dependent,
                                 const std::vector<ExtraCoordinate>& extra = {});
  SystemBuilder& add_limit(Limit limit);
  SystemBuilder& add_contact(ContactSurface surface);
  SystemBuilder& add_bearing(JointFriction bearing);
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
  /// A Hill muscle on one of muscles_, or on a path of its own.
  struct HillSpec {
    size_t muscle = 0;
    std::shared_ptr<const OpenSimPath> path;
    std::shared_ptr<const HillDescription> description;
  };
  std::vector<HillSpec> hill_;
  ConstraintList constraints_;
  std::shared_ptr<const CoordinateMap> map_;
  std::vector<Limit> limits_;
  std::vector<ContactSurface> surfaces_;
  std::vector<JointFriction> bearings_;
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded_;
  std::shared_ptr<SoftBodies> soft_;
  Vec3 gravity_{0, -9.80665, 0};
};

}  // namespace sinew
