#include "sinew/system/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {

System::System(Skeleton skeleton, std::shared_ptr<const CoordinateMap> map, ForceList forces,
               ConstraintList constraints, const Vec3& gravity)
    : skeleton_(std::move(skeleton)),
      map_(std::move(map)),
      forces_(std::move(forces)),
      constraints_(std::move(constraints)),
      gravity_(gravity) {
  std::set<double> times;
  for (const auto& force : forces_)
    for (const double t : force->breakpoints()) times.insert(t);
  for (const auto& constraint : constraints_)
    for (const double t : constraint->breakpoints()) times.insert(t);
  breakpoints_.assign(times.begin(), times.end());
}

void System::assemble() {
  if (constraints_.empty()) return;
  State state = described_state();
  Workspace ws(*this);
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
  q0_ = state.q;
  qdot0_ = state.qdot;
}

int System::constraint_of_row(int row) const {
  int constraint = -1;
  for (int end = 0; end <= row; end += constraints_[static_cast<size_t>(constraint)]->rows())
    ++constraint;
  return constraint;
}

State System::default_state() const {
  State state = described_state();
  if (constraints_.empty()) return state;
  state.q = q0_;
  state.qdot = qdot0_;
  return state;
}

State System::described_state() const {
  State state;
  state.q.resize(dof_count());
  state.qdot.resize(dof_count());
  for (int k = 0; k < dof_count(); ++k) {
    const Coordinate& coordinate = coordinates()[static_cast<size_t>(k)];
    state.q[k] = coordinate.q0;
    state.qdot[k] = coordinate.qdot0;
  }
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

SystemBuilder& SystemBuilder::add_constraint(std::shared_ptr<const Constraint> constraint) {
  constraints_.push_back(std::move(constraint));
  return *this;
}

SystemBuilder& SystemBuilder::add_coordinate(ExtraCoordinate coordinate) {
  extra_.push_back(std::move(coordinate));
  return *this;
}

SystemBuilder& SystemBuilder::set_dependent(DofIndex dof, ScalarFunction f,
                                            std::vector<std::string> arguments) {
  dependent_.push_back({dof, std::move(f), std::move(arguments)});
  return *this;
}

System SystemBuilder::build() const {
  if (!gravity_.allFinite()) throw Error("gravity", "is not finite", "give three finite numbers");
  if (skeleton_.dof_count() == 0)
    throw Error("skeleton", "cannot move: every joint is fixed", "give one joint a coordinate");
  std::set<std::string> names;
  for (const auto& force : forces_) {
    if (!names.insert(force->name()).second)
      throw Error("force '" + force->name() + "'", "is defined twice",
                  "give every force a name of its own");
    force->validate(skeleton_);
  }
  std::shared_ptr<const CoordinateMap> map;
  if (!dependent_.empty() || !extra_.empty())
    map = std::make_shared<CoordinateMap>(skeleton_, dependent_, extra_);
  System system(skeleton_, map, forces_, {}, gravity_);
  const State described = system.described_state();
  VecX q0 = described.q;
  if (map) {
    MapWorkspace expanded(skeleton_, *map);
    expanded.update(described.q, described.qdot);
    q0 = expanded.q;
  }
  names.clear();
  ConstraintList constraints;
  for (const auto& constraint : constraints_) {
    if (!names.insert(constraint->name()).second)
      throw Error("constraint '" + constraint->name() + "'", "is defined twice",
                  "give every constraint a name of its own");
    constraint->validate(skeleton_);
    const auto better = constraint->specialized(skeleton_, q0);
    constraints.push_back(better ? better : constraint);
  }
  system = System(skeleton_, std::move(map), forces_, std::move(constraints), gravity_);
  system.assemble();
  return system;
}

}  // namespace sinew
