#include "sinew/builder/system_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "sinew/strands/strands.hpp"
#include "sinew/system/equations.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {

SystemBuilder::SystemBuilder(Skeleton skeleton) : skeleton_(std::move(skeleton)) {
  const std::vector<Coordinate>& all = skeleton_.coordinates();
  if (std::any_of(all.begin(), all.end(),
                  [](const Coordinate& c) { return c.kind == CoordinateKind::time; }))
    map_coordinates({});
}

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
  dependent_ = dependent;
  extra_ = extra;
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

SystemBuilder& SystemBuilder::add_strand_node(const StrandNode& node) {
  strand_nodes_.push_back(std::make_shared<StrandNode>(node));
  const auto* rigid = std::get_if<RigidNode>(&node.place);
  if (rigid == nullptr || rigid->mass == 0) return *this;
  if (!(std::isfinite(rigid->mass) && rigid->mass > 0))
    throw Error("strand node '" + node.name + "'", "has a mass that is not ≥ 0",
                "give the mass of its bead in kg, or none");
  if (rigid->body.valid() && rigid->body < skeleton_.body_count())
    skeleton_ = with_bead(skeleton_, *rigid);
  return *this;
}

SystemBuilder& SystemBuilder::add_strand(const Strand& strand) {
  strands_.push_back(std::make_shared<Strand>(strand));
  return *this;
}

SystemBuilder& SystemBuilder::add(const DescribedStrand& described) {
  for (const StrandNode& node : described.nodes) add_strand_node(node);
  return add_strand(described.strand);
}

SystemBuilder& SystemBuilder::add_strand_guide(const StrandGuide& guide) {
  strand_guides_.push_back(std::make_shared<StrandGuide>(guide));
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

namespace {

/// Where a name is in a list of names.
size_t place_of(const std::string& what, const std::string& name,
                const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(what + " '" + name + "'", "is not one of the system's", suggest(name, names));
  return static_cast<size_t>(found - names.begin());
}

}  // namespace

/// Values of a state's coordinates; then those of coordinates that depend on them follow.
void SystemBuilder::start_coordinates(const RunStart& run) {
  const CoupledCoordinates coupled = map_ ? CoupledCoordinates() : CoupledCoordinates(constraints_);
  if (run.values.empty() && run.speeds.empty() && coupled.empty()) return;
  const bool placed = std::any_of(strand_nodes_.begin(), strand_nodes_.end(), [](const auto& node) {
    return std::holds_alternative<MaximalNode>(node->place);
  });
  if ((!soft_.empty() || placed) && !run.values.empty())
    throw Error("coordinate '" + run.values.begin()->first + "'",
                std::string("cannot start elsewhere: ") +
                    (placed ? "nodes of strands" : "soft bodies") +
                    " are placed beside the bones as described",
                "change the default coordinate of the joint instead");
  const std::vector<Coordinate>& coordinates = map_ ? map_->coordinates() : skeleton_.coordinates();
  State state = described_state(coordinates);
  std::vector<std::string> names;
  for (const Coordinate& c : coordinates) names.push_back(c.name);
  const auto set = [&](const std::map<std::string, double>& given, VecX& out) {
    for (const auto& [name, value] : given)
      out[static_cast<Eigen::Index>(place_of("coordinate", name, names))] = value;
  };
  set(run.values, state.q);
  set(run.speeds, state.qdot);
  if (!map_) {
    VecX unused = VecX::Zero(state.q.size());
    coupled.follow(state.q, state.qdot, unused);
    skeleton_ = skeleton_.with_defaults(state.q, state.qdot);
    return;
  }
  VecX q(skeleton_.dof_count()), qdot(skeleton_.dof_count());
  for (int k = 0; k < skeleton_.dof_count(); ++k) {
    const int free = map_->free_index(k);  // what depends follows in map_coordinates
    q[k] = free < 0 ? 0 : state.q[free];
    qdot[k] = free < 0 ? 0 : state.qdot[free];
  }
  skeleton_ = skeleton_.with_defaults(q, qdot);
  std::vector<ExtraCoordinate> extra = extra_;
  for (size_t k = 0; k < extra.size(); ++k) {
    const auto at = state.q.size() - static_cast<Eigen::Index>(extra.size() - k);
    extra[k].q0 = state.q[at];
    extra[k].qdot0 = state.qdot[at];
  }
  map_coordinates(std::vector<DependentCoordinate>(dependent_), extra);
}

void SystemBuilder::start_muscles(const RunStart& run) {
  std::vector<std::string> names;
  std::vector<size_t> places;
  for (size_t k = 0; k < muscles_.size(); ++k) {
    if (!muscles_[k]->hill) continue;
    names.push_back(muscles_[k]->name);
    places.push_back(k);
  }
  const auto change = [&](const std::string& name, const auto& edit) {
    auto& muscle = muscles_[places[place_of("muscle", name, names)]];
    Muscle changed = *muscle;
    edit(*changed.hill);
    muscle = std::make_shared<Muscle>(std::move(changed));
  };
  for (const auto& [name, value] : run.activations)
    change(name, [v = value](HillDescription& d) { d.initial_activation = v; });
  for (const auto& [name, value] : run.fibre_lengths)
    change(name, [v = value](HillDescription& d) { d.initial_fibre_length = v; });
}

SystemBuilder& SystemBuilder::start(const RunStart& run) {
  start_coordinates(run);
  start_muscles(run);
  drive_.excitation = run.excitation;
  drive_.controls = run.controls;
  return *this;
}

/// Sets the system's controls as `start` was told.
void SystemBuilder::drive(System& system) const {
  ControlSchedule& controls = system.controls_;
  if (drive_.excitation)
    for (const size_t k : system.hill_muscles())
      controls.set(system.muscle_control(k), *drive_.excitation);
  std::vector<std::string> names;
  for (const ControlSchedule::Entry& entry : controls.entries())
    names.push_back(entry.control.name);
  for (const auto& [name, value] : drive_.controls) {
    if (const std::string defect = value.defect(); !defect.empty())
      throw Error("control '" + name + "'", defect, "give finite numbers");
    controls.set(static_cast<int>(place_of("control", name, names)), value);
  }
}

std::shared_ptr<const Strands> SystemBuilder::make_strands() const {
  if (strands_.empty() && strand_nodes_.empty() && strand_guides_.empty()) return nullptr;
  std::vector<StrandNode> nodes;
  for (const auto& node : strand_nodes_) nodes.push_back(*node);
  std::vector<StrandGuide> guides;
  for (const auto& guide : strand_guides_) guides.push_back(*guide);
  std::vector<Strand> strands;
  for (const auto& strand : strands_) strands.push_back(*strand);
  return std::make_shared<Strands>(skeleton_, std::move(nodes), std::move(guides),
                                   std::move(strands));
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
  const std::shared_ptr<const Strands> strand_part = make_strands();
  PartList parts;
  if (muscle_part) parts.push_back(muscle_part);
  if (soft_part) parts.push_back(soft_part);
  if (strand_part) parts.push_back(strand_part);
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
  std::vector<Limit> limits = limits_;
  for (size_t k = 0; k < placed.list.size(); ++k)
    for (Limit& limit : placed.list[k]->limits(placed.places[k]))
      limits.push_back(std::move(limit));
  for (const Limit& limit : limits) {
    if (!limit.row) throw Error("limit", "is of a null pointer", "give it a constraint");
    if (!names.insert(limit.name()).second)
      throw Error("limit '" + limit.name() + "'", "is defined twice",
                  "give every limit its own name");
    limit.validate(skeleton_);
    unilaterals.limits.push_back(limit);
  }
  for (const auto& part : placed.list) unilaterals.holds += part->hold_count();
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
  system.strands_ = strand_part;
  drive(system);
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
