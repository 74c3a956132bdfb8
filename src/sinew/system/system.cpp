#include "sinew/system/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/muscles/fast/muscle_block.hpp"
#include "sinew/system/hill_equations.hpp"
#include "sinew/system/projection.hpp"
#include "sinew/system/soft_equations.hpp"

namespace sinew {
namespace {

State described_state(const std::vector<Coordinate>& coordinates) {
  State state;
  state.q.resize(static_cast<Eigen::Index>(coordinates.size()));
  state.qdot.resize(state.q.size());
  for (Eigen::Index k = 0; k < state.q.size(); ++k) {
    state.q[k] = coordinates[static_cast<size_t>(k)].q0;
    state.qdot[k] = coordinates[static_cast<size_t>(k)].qdot0;
  }
  return state;
}

}  // namespace

System::System(Skeleton skeleton, std::shared_ptr<const CoordinateMap> map, ForceList forces,
               MuscleList muscles, HillList hill, ConstraintList constraints,
               UnilateralElements unilaterals, std::shared_ptr<const SoftBodies> soft,
               const Vec3& gravity)
    : skeleton_(std::move(skeleton)),
      map_(std::move(map)),
      forces_(std::move(forces)),
      muscles_(std::move(muscles)),
      hill_(std::move(hill)),
      constraints_(std::move(constraints)),
      unilaterals_(std::move(unilaterals)),
      soft_(std::move(soft)),
      vertex_dofs_(soft_ ? soft_->dof_count() : 0),
      gravity_(gravity) {
  std::set<double> times;
  for (const auto& force : forces_)
    for (const double t : force->breakpoints()) times.insert(t);
  for (const auto& constraint : constraints_)
    for (const double t : constraint->breakpoints()) times.insert(t);
  breakpoints_.assign(times.begin(), times.end());
  collect_features();
  collect_controls();
  z0_ = described_internal_state(*this);
}

void System::collect_features() {
  const auto add = [&](Feature feature, bool has) {
    if (has) features_ |= bit(feature);
  };
  add(Feature::constraints, !constraints_.empty());
  add(Feature::contacts, !unilaterals_.limits.empty() || !unilaterals_.contacts.surfaces().empty());
  add(Feature::bearings, !unilaterals_.bearings.empty());
  for (const auto& element : muscles_) add(Feature::massive_muscles, element->muscle().has_mass());
  add(Feature::hill_muscles, !hill_.empty());
  add(Feature::soft_bodies, soft_ != nullptr);
  add(Feature::dependent_coordinates, map_ != nullptr);
}

void System::collect_controls() {
  std::vector<ControlSchedule::Entry> entries;
  tension_control_.assign(muscles_.size(), 0);
  for (const auto& element : hill_)
    if (element->muscle >= 0) tension_control_[static_cast<size_t>(element->muscle)] = -1;
  for (size_t k = 0; k < muscles_.size(); ++k) {
    if (tension_control_[k] < 0) continue;
    tension_control_[k] = static_cast<int>(entries.size());
    entries.push_back(
        {{muscles_[k]->name(), ControlKind::tension, muscles_[k]->muscle().tension}, {}});
  }
  for (const auto& element : hill_) {
    const HillDescription& d = element->description;
    std::optional<CoordinateFeedback> feedback;
    if (d.feedback) {
      const int dof = d.feedback->dof.value;
      feedback = CoordinateFeedback{map_ ? map_->free_index(dof) : dof, d.feedback->gain,
                                    d.feedback->target};
    }
    excitation_control_.push_back(static_cast<int>(entries.size()));
    entries.push_back({{element->name(), ControlKind::excitation, d.excitation}, feedback});
  }
  for (const auto& force : forces_) {
    force_control_.push_back(static_cast<int>(entries.size()));
    for (const Control& control : force->controls()) entries.push_back({control, {}});
  }
  controls_ = ControlSchedule(std::move(entries));
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
  if (constraints_.empty() && unilaterals_.empty() && hill_.empty()) return;
  State state = described_state();
  Workspace ws(*this);
  if (!constraints_.empty()) assemble_constraints(state, ws);
  if (!unilaterals_.empty()) separate_state(*this, state, ws);
  q0_ = state.q;
  qdot0_ = state.qdot;
  if (hill_.empty()) return;
  initialize_muscles(*this, state, ws);
  z0_ = state.z;
}

int System::constraint_of_row(int row) const {
  int constraint = -1;
  for (int end = 0; end <= row; end += constraints_[static_cast<size_t>(constraint)]->rows())
    ++constraint;
  return constraint;
}

State System::default_state() const {
  State state = described_state();
  if (q0_.size() == 0) return state;
  state.q = q0_;
  state.qdot = qdot0_;
  return state;
}

State System::described_state() const {
  State state = sinew::described_state(coordinates());
  if (soft_) append_vertices(*soft_, state);
  state.z = z0_;
  return state;
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

SystemBuilder& SystemBuilder::add_hill_muscle(const Muscle& path, const HillDescription& hill) {
  hill_.push_back({muscles_.size(), nullptr, std::make_shared<HillDescription>(hill)});
  return add_muscle(path);
}

SystemBuilder& SystemBuilder::add_hill_muscle(const OpenSimPath& path,
                                              const HillDescription& hill) {
  hill_.push_back(
      {0, std::make_shared<OpenSimPath>(path), std::make_shared<HillDescription>(hill)});
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
  MapWorkspace expanded(skeleton_, *map_);
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
  // A copy: another builder made from this one may have the same part.
  auto part = soft_ ? std::make_shared<SoftBodies>(*soft_) : std::make_shared<SoftBodies>();
  part->add(skeleton_, spec);
  skeleton_ = with_attached_masses(skeleton_, *part->bodies.back());
  soft_ = std::move(part);
  return *this;
}

SystemBuilder& SystemBuilder::exclude_contact(BodyIndex a, BodyIndex b) {
  excluded_.emplace_back(a, b);
  return *this;
}

System SystemBuilder::build() const {
  if (!gravity_.allFinite()) throw Error("gravity", "is not finite", "give three finite numbers");
  if (skeleton_.dof_count() == 0)
    throw Error("skeleton", "cannot move: every joint is fixed", "give one joint a coordinate");
  std::set<std::string> names;
  for (const auto& force : forces_) {
    if (!force) throw Error("force", "is a null pointer", "add an element");
    if (!names.insert(force->name()).second)
      throw Error("force '" + force->name() + "'", "is defined twice",
                  "give every force a name of its own");
    force->validate(skeleton_);
  }
  names.clear();
  const auto add_name = [&](const std::string& name) {
    if (!names.insert(name).second)
      throw Error("muscle '" + name + "'", "is defined twice",
                  "give every muscle a name of its own");
  };
  MuscleList muscles;
  for (const auto& muscle : muscles_) {
    add_name(muscle->name);
    muscles.push_back(std::make_shared<MuscleElement>(skeleton_, *muscle));
  }
  HillList hill;
  for (const HillSpec& spec : hill_) {
    if (spec.path) add_name(spec.path->name);
    hill.push_back(spec.path ? make_hill_element(skeleton_, *spec.path, *spec.description)
                             : make_hill_element(skeleton_, static_cast<int>(spec.muscle),
                                                 *muscles_[spec.muscle], *spec.description));
    const auto& feedback = spec.description->feedback;
    if (map_ && feedback && map_->free_index(feedback->dof.value) < 0)
      throw Error("muscle '" + hill.back()->name() + "'",
                  "has feedback of a coordinate that depends on others", "name a free one");
  }
  const VecX q0 = described_state(skeleton_.coordinates()).q;
  names.clear();
  ConstraintList constraints;
  for (const auto& constraint : constraints_) {
    if (!constraint) throw Error("constraint", "is a null pointer", "add an element");
    if (!names.insert(constraint->name()).second)
      throw Error("constraint '" + constraint->name() + "'", "is defined twice",
                  "give every constraint a name of its own");
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
                  "give every limit a name of its own");
    limit.validate(skeleton_);
    unilaterals.limits.push_back(limit);
  }
  unilaterals.contacts = ContactModel(skeleton_, surfaces_, excluded_);
  names.clear();
  for (const JointFriction& bearing : bearings_) {
    if (!names.insert(bearing.name).second)
      throw Error("bearing '" + bearing.name + "'", "is defined twice",
                  "give every bearing a name of its own");
    bearing.validate(skeleton_, constraints);
    unilaterals.bearings.push_back(bearing);
  }
  unilaterals.constraints = constraints;
  const auto soft = soft_ ? std::make_shared<SoftBodies>(*soft_) : nullptr;
  if (soft) {
    if (map_)
      soft->refuse("cannot move with coordinates that depend on others",
                   "use a coupling constraint instead");
    if (!unilaterals.empty())
      soft->refuse("cannot be stepped together with limits, contacts of bodies and bearings",
                   "use soft limits and smooth contact");
    soft->finish(skeleton_.dof_count());
  }
  System system(skeleton_, map_, forces_, std::move(muscles), std::move(hill),
                std::move(constraints), std::move(unilaterals), soft, gravity_);
  system.assemble();
  return system;
}

}  // namespace sinew
