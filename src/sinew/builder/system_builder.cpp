#include "sinew/builder/system_builder.hpp"

#include <fmt/format.h>

#include <set>

#include "sinew/core/error.hpp"
#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {

SystemBuilder& SystemBuilder::set_gravity(const Vec3& gravity) {
  gravity_ = gravity;
  return *this;
}

SystemBuilder& SystemBuilder::add_force(std::shared_ptr<const Force> force) {
  forces_.push_back(std::move(force));
  return *this;
}

SystemBuilder& SystemBuilder::add_muscle(const Muscle& muscle) {
  muscles_.push_back(std::make_shared<Muscle>(muscle));
  return *this;
}

SystemBuilder& SystemBuilder::add_constraint(std::shared_ptr<const Constraint> constraint) {
  constraints_.push_back(std::move(constraint));
  return *this;
}

SystemBuilder& SystemBuilder::map_coordinates(const std::vector<DependentCoordinate>& dependent,
                                              const std::vector<ExtraCoordinate>& extra) {
  map_ = std::make_shared<CoordinateMap>(skeleton_, dependent, extra);
  const State described = described_state(map_->coordinates());
  MapValues expanded(skeleton_, *map_);
  expanded.update(described.q, described.qdot);
  skeleton_ = skeleton_.with_defaults(expanded.q, expanded.qdot);
  return *this;
}

SystemBuilder& SystemBuilder::add_limit(Limit limit) {
  limits_.push_back(std::move(limit));
  return *this;
}

SystemBuilder& SystemBuilder::add_contact(ContactSurface surface) {
  surfaces_.push_back(std::move(surface));
  return *this;
}

SystemBuilder& SystemBuilder::add_bearing(JointFriction bearing) {
  bearings_.push_back(std::move(bearing));
  return *this;
}

SystemBuilder& SystemBuilder::add_soft_body(const SoftBodySpec& spec) {
  soft_.push_back(std::make_shared<SoftBody>(spec));
  const SoftBodies checked(skeleton_, soft_);
  skeleton_ = with_attached_masses(skeleton_, *soft_.back());
  return *this;
}

SystemBuilder& SystemBuilder::add_part(std::shared_ptr<const Part> part) {
  if (!part) throw Error("part", "is a null pointer", "add an element");
  parts_.push_back(std::move(part));
  return *this;
}

SystemBuilder& SystemBuilder::exclude_contact(BodyIndex a, BodyIndex b) {
  excluded_.emplace_back(a, b);
  return *this;
}

System SystemBuilder::build() const {
  if (!gravity_.allFinite()) throw Error("gravity", "is not finite", "give three finite numbers");
  std::set<std::string> names;
  for (const auto& force : forces_) {
    if (!force) throw Error("force", "is a null pointer", "add an element");
    if (!names.insert(force->name()).second)
      throw Error("force '" + force->name() + "'", "is defined twice",
                  "give every force its own name");
    force->validate(skeleton_);
  }
  names.clear();
  MuscleList muscles;
  for (const auto& muscle : muscles_) {
    if (!names.insert(muscle->name).second)
      throw Error("muscle '" + muscle->name + "'", "is defined twice",
                  "give every muscle its own name");
    muscles.push_back(std::make_shared<MuscleElement>(skeleton_, *muscle));
  }
  const std::shared_ptr<const Muscles> muscle_part =
      muscles.empty() ? nullptr : std::make_shared<Muscles>(skeleton_, std::move(muscles));
  std::vector<System::Feedback> feedback;
  for (size_t k = 0; k < muscles_.size(); ++k) {
    const auto& hill = muscles_[k]->hill;
    if (!hill || !hill->feedback) continue;
    const int dof = map_ ? map_->free_index(hill->feedback->dof.value) : hill->feedback->dof.value;
    if (dof < 0)
      throw Error("muscle '" + muscles_[k]->name + "'",
                  "has feedback of a coordinate that depends on others", "name a free one");
    feedback.push_back(
        {0, muscle_part->control(k), {dof, hill->feedback->gain, hill->feedback->target}});
  }
  const std::shared_ptr<const SoftBodies> soft_part =
      soft_.empty() ? nullptr : std::make_shared<SoftBodies>(skeleton_, soft_);
  PartList parts;
  if (muscle_part) parts.push_back(muscle_part);
  if (soft_part) parts.push_back(soft_part);
  parts.insert(parts.end(), parts_.begin(), parts_.end());
  PlacedParts placed(skeleton_, std::move(parts));
  ConstraintList all_constraints = constraints_;
  for (size_t k = 0; k < placed.list.size(); ++k)
    for (auto& constraint : placed.list[k]->constraints(placed.places[k]))
      all_constraints.push_back(std::move(constraint));
  const VecX q0 = described_state(skeleton_.coordinates()).q;
  names.clear();
  ConstraintList constraints;
  for (const auto& constraint : all_constraints) {
    if (!constraint) throw Error("constraint", "is a null pointer", "add an element");
    if (!names.insert(constraint->name()).second)
      throw Error("constraint '" + constraint->name() + "'", "is defined twice",
                  "give every constraint its own name");
    constraint->validate(skeleton_);
    const auto better = constraint->specialized(skeleton_, q0);
    constraints.push_back(better ? better : constraint);
  }
  names.clear();
  UnilateralElements unilaterals;
  for (const Limit& limit : limits_) {
    if (!limit.row) throw Error("limit", "is of a null pointer", "give it a constraint");
    if (!names.insert(limit.name()).second)
      throw Error("limit '" + limit.name() + "'", "is defined twice",
                  "give every limit its own name");
    limit.validate(skeleton_);
    unilaterals.limits.push_back(limit);
  }
  unilaterals.contacts = ContactModel(skeleton_, surfaces_, excluded_);
  names.clear();
  for (const JointFriction& bearing : bearings_) {
    if (!names.insert(bearing.name).second)
      throw Error("bearing '" + bearing.name + "'", "is defined twice",
                  "give every bearing its own name");
    bearing.validate(skeleton_, constraints);
    unilaterals.bearings.push_back(bearing);
  }
  unilaterals.constraints = constraints;
  System system(skeleton_, map_, forces_, std::move(placed), std::move(constraints),
                std::move(unilaterals), gravity_, feedback);
  if (system.dof_count() == 0)
    throw Error("skeleton", "cannot move: every joint is fixed", "give one joint a coordinate");
  system.muscles_ = muscle_part;
  system.soft_ = soft_part;
  system.assemble();
  return system;
}

void System::assemble_constraints(State& state, Workspace& ws) {
  assemble_state(*this, state, ws);
  const std::vector<int> dependent = find_redundancies(*this, state, ws);
  for (size_t i = 0; i < constraints_.size(); ++i) {
    const int rows = constraints_[i]->rows(), count = dependent[i];
    independent_rows_ += rows - count;
    if (count > 0)
      redundancies_.push_back(
          fmt::format("constraint '{}': {} of its {} rows depend{} on other constraints",
                      constraints_[i]->name(), count, rows, count == 1 ? "s" : ""));
  }
}

void System::assemble() {
  State state = described_state();
  Workspace ws(*this);
  if (!constraints_.empty()) assemble_constraints(state, ws);
  if (!unilaterals_.empty()) separate_state(*this, state, ws);
  q0_ = state.q;
  qdot0_ = state.qdot;
  settle_parts(*this, state, ws);
  z0_ = state.z;
}

const MuscleList& System::muscles() const {
  static const MuscleList kNone;
  return muscles_ ? muscles_->elements() : kNone;
}

const std::vector<size_t>& System::hill_muscles() const {
  static const std::vector<size_t> kNone;
  return muscles_ ? muscles_->hill() : kNone;
}

int System::muscle_control(size_t muscle) const {
  return place(0).control + muscles_->control(muscle);
}

}  // namespace sinew
