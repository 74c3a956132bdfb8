#include "sinew/system/system.hpp"

#include <algorithm>
#include <set>

#include "sinew/core/error.hpp"

namespace sinew {

System::System(Skeleton skeleton, ForceList forces, const Vec3& gravity)
    : skeleton_(std::move(skeleton)), forces_(std::move(forces)), gravity_(gravity) {
  std::set<double> times;
  for (const auto& force : forces_)
    for (const double t : force->breakpoints()) times.insert(t);
  breakpoints_.assign(times.begin(), times.end());
}

State System::default_state() const {
  State state;
  state.q.resize(dof_count());
  state.qdot.resize(dof_count());
  for (int k = 0; k < dof_count(); ++k) {
    const Coordinate& coordinate = skeleton_.coordinates()[static_cast<size_t>(k)];
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
  return System(skeleton_, forces_, gravity_);
}

}  // namespace sinew
