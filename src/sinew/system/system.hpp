#pragma once

#include "sinew/constraints/solve/unilateral_rows.hpp"
#include "sinew/dynamics/part.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/system/controls.hpp"
#include "sinew/system/coordinate_map.hpp"

namespace sinew {

/// The coordinates' defaults.
State described_state(const std::vector<Coordinate>& coordinates);

class MuscleElement;
class Muscles;
class SoftBodies;
class Strands;
struct Workspace;

/// Parts, and the places of their numbers.
struct PlacedParts {
  PlacedParts(const Skeleton& skeleton, PartList list);

  PartList list;
  std::vector<PartPlace> places;
  /// Nodes of all their coordinates, with the entries of M, and with those of all derivatives.
  std::shared_ptr<const NodeLayout> masses, nodes;
  int internal_count = 0;
};

/// A skeleton and everything that acts on it. Immutable; made by SystemBuilder; safe to share
/// between threads.
class System {
 public:
  const Skeleton& skeleton() const { return skeleton_; }
  const ForceList& forces() const { return forces_; }
  /// In the form used: closures of planar loops with the rows that they need (see Closure).
  const ConstraintList& constraints() const { return constraints_; }
  /// Limits and contacts, which only some integrators can step (see `step`).
  const UnilateralElements& unilaterals() const { return unilaterals_; }
  /// Parts with mass, coordinates or a state beside those of the skeleton.
  const PartList& parts() const { return parts_.list; }
  const PartPlace& place(size_t part) const { return parts_.places[part]; }
  /// The place of its coordinates in a state.
  int state_dof(size_t part) const {
    return place(part).dof - skeleton_.dof_count() + static_cast<int>(coordinates().size());
  }
  /// See PlacedParts.
  const NodeLayout& masses() const { return *parts_.masses; }
  const NodeLayout& nodes() const { return *parts_.nodes; }
  /// Whether the mass matrix is that of the skeleton alone, which recursions factor in O(n).
  bool has_recursive_mass() const { return !part_mass_ && !map_; }
  /// Whether EnergyVariables are available and useful.
  bool has_energy_variables() const { return energy_variables_; }
  const Vec3& gravity() const { return gravity_; }
  /// The contents of a State: the skeleton's coordinates or, if some depend on others, the free
  /// ones.
  const std::vector<Coordinate>& coordinates() const {
    return map_ ? map_->coordinates() : skeleton_.coordinates();
  }
  /// Entries of a state's q: the coordinates, then those of parts.
  int dof_count() const { return static_cast<int>(coordinates().size()) + nodes().dof_count(); }
  /// "coordinate 'knee'", or a part's name for its own entry of q.
  std::string entry_name(int dof) const;
  /// Entries of a state's z.
  int internal_count() const { return static_cast<int>(z0_.size()); }
  /// All coordinates in results, including dependent ones: see expand_coordinates.
  const std::vector<Coordinate>& all_coordinates() const {
    return map_ ? map_->all_coordinates() : skeleton_.coordinates();
  }
  /// Null if no coordinate depends on others.
  const CoordinateMap* coordinate_map() const { return map_.get(); }
  /// Its features (Feature), one bit each.
  unsigned features() const { return features_; }
  bool has(Feature feature) const { return (features_ & bit(feature)) != 0; }
  /// Inputs, and what the model says about them: those of parts, then those of forces. Muscles have
  /// tensions, where they have one, then excitations, both in the order of muscles().
  const ControlSchedule& controls() const { return controls_; }
  /// Index of a force's first control among them.
  int first_control(size_t force) const { return force_control_[force]; }

  // Parts that SystemBuilder makes, by name.
  const std::vector<std::shared_ptr<const MuscleElement>>& muscles() const;
  /// Numbers of the muscles with activation, fibres and tendons, in the order of their states.
  const std::vector<size_t>& hill_muscles() const;
  bool has_massive_muscles() const { return has(Feature::massive_muscles); }
  /// All muscles as one part, the first; null without any.
  const Muscles* muscle_part() const { return muscles_.get(); }
  /// The control that drives a muscle: its excitation, or its tension.
  int muscle_control(size_t muscle) const;
  /// Null without any; else the part after the muscles.
  const SoftBodies* soft() const { return soft_.get(); }
  size_t soft_index() const { return muscles_ ? 1 : 0; }
  /// Null without any; else the part after the soft bodies.
  const Strands* strands() const { return strands_.get(); }
  size_t strands_index() const { return soft_index() + (soft_ ? 1 : 0); }

  /// Times at which some force or prescribed motion jumps, except by controls, ascending.
  const std::vector<double>& breakpoints() const { return breakpoints_; }

  /// The state at t = 0 that the bodies' default coordinates describe, moved to the nearest one (in
  /// the metric of the masses) that satisfies constraints, limits and contacts.
  State default_state() const;
  /// The same without that move.
  State described_state() const;

  /// Constraints whose rows depend on those of others, in words, one each; found at the default
  /// state. They are solved in the least-squares sense: the motion is correct; the division of the
  /// load between them is arbitrary.
  const std::vector<std::string>& redundancies() const { return redundancies_; }
  /// Rows of constraints that do not depend on others, there: each removes a degree of freedom.
  int independent_rows() const { return independent_rows_; }
  /// The constraint that a row of the stacked rows belongs to.
  int constraint_of_row(int row) const;

 private:
  friend class SystemBuilder;
  /// Feeds a coordinate back to a control of a part.
  struct Feedback {
    size_t part;
    int control;
    CoordinateFeedback feedback;
  };
  System(Skeleton skeleton, std::shared_ptr<const CoordinateMap> map, ForceList forces,
         PlacedParts parts, ConstraintList constraints, UnilateralElements unilaterals,
         const Vec3& gravity, const std::vector<Feedback>& feedback);
  /// Finds the default state; throws an Error naming the constraint that cannot be satisfied.
  void assemble();
  void assemble_constraints(State& state, Workspace& ws);
  void collect_masses();
  void collect_controls(const std::vector<Feedback>& feedback);
  void collect_features();

  Skeleton skeleton_;
  std::shared_ptr<const CoordinateMap> map_;
  ForceList forces_;
  PlacedParts parts_;
  std::shared_ptr<const Muscles> muscles_;  // one of the parts, like the next two
  std::shared_ptr<const SoftBodies> soft_;
  std::shared_ptr<const Strands> strands_;
  ConstraintList constraints_;
  UnilateralElements unilaterals_;
  bool part_mass_ = false, energy_variables_ = false;
  unsigned features_ = 0;
  VecX q0_, qdot0_;  // default state, for systems with constraints, limits or contacts
  VecX z0_;          // internal state, as described or settled
  std::vector<std::string> redundancies_;
  int independent_rows_ = 0;
  Vec3 gravity_;
  std::vector<double> breakpoints_;
  ControlSchedule controls_;
  std::vector<int> force_control_;
};

}  // namespace sinew
