#include "sinew/system/system.hpp"

#include <set>

#include "sinew/core/error.hpp"

namespace sinew {

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

PlacedParts::PlacedParts(const Skeleton& skeleton, PartList parts) : list(std::move(parts)) {
  auto of_masses = std::make_shared<NodeLayout>(), of_all = std::make_shared<NodeLayout>();
  PartPlace next{.dof = skeleton.dof_count()};
  for (const auto& part : list) {
    places.push_back(next);
    next.dof += part->dof_count();
    part->lay_out(*of_masses, *of_all);
    const int dofs = next.dof - skeleton.dof_count();
    if (of_all->dof_count() != dofs || of_masses->dof_count() != dofs)
      throw Error(part->element_with(Feature::soft_bodies),
                  "lays out nodes that are not as many as its coordinates",
                  "add the same nodes to both layouts");
    next.node = of_all->count();
    next.internal += part->internal_count();
    next.control += static_cast<int>(part->controls().size());
  }
  internal_count = next.internal;
  of_masses->finish();
  of_all->finish();
  masses = std::move(of_masses);
  nodes = std::move(of_all);
}

System::System(Skeleton skeleton, std::shared_ptr<const CoordinateMap> map, ForceList forces,
               PlacedParts parts, ConstraintList constraints, UnilateralElements unilaterals,
               const Vec3& gravity, const std::vector<Feedback>& feedback)
    : skeleton_(std::move(skeleton)),
      map_(std::move(map)),
      forces_(std::move(forces)),
      parts_(std::move(parts)),
      constraints_(std::move(constraints)),
      unilaterals_(std::move(unilaterals)),
      gravity_(gravity) {
  std::set<double> times;
  for (const auto& force : forces_)
    for (const double t : force->breakpoints()) times.insert(t);
  for (const auto& constraint : constraints_)
    for (const double t : constraint->breakpoints()) times.insert(t);
  breakpoints_.assign(times.begin(), times.end());
  collect_masses();
  collect_features();
  collect_controls(feedback);
}

void System::collect_masses() {
  energy_variables_ = map_ == nullptr && constraints_.empty();
  z0_.setZero(parts_.internal_count);
  for (size_t k = 0; k < parts().size(); ++k) {
    const Part& part = *parts()[k];
    part_mass_ |= part.has_mass();
    energy_variables_ &= part.mass_changes_fast() || !part.has_mass();
    part.describe_internal(z0_.segment(place(k).internal, part.internal_count()));
  }
  energy_variables_ &= part_mass_;
}

void System::collect_features() {
  const auto add = [&](Feature feature, bool has) {
    if (has) features_ |= bit(feature);
  };
  add(Feature::constraints, !constraints_.empty());
  add(Feature::contacts, !unilaterals_.limits.empty() || !unilaterals_.contacts.surfaces().empty());
  add(Feature::bearings, !unilaterals_.bearings.empty() || unilaterals_.holds > 0);
  for (const auto& part : parts()) features_ |= part->features();
  add(Feature::dependent_coordinates, map_ != nullptr);
  add(Feature::driven_coordinates, map_ != nullptr && map_->drives());
}

void System::collect_controls(const std::vector<Feedback>& feedback) {
  std::vector<ControlSchedule::Entry> entries;
  for (const auto& part : parts())
    for (const Control& control : part->controls()) entries.push_back({control, {}});
  for (const Feedback& f : feedback)
    entries[static_cast<size_t>(place(f.part).control + f.control)].feedback = f.feedback;
  for (const auto& force : forces_) {
    force_control_.push_back(static_cast<int>(entries.size()));
    for (const Control& control : force->controls()) entries.push_back({control, {}});
  }
  controls_ = ControlSchedule(std::move(entries));
}

std::string System::entry_name(int dof) const {
  const auto n = static_cast<int>(coordinates().size());
  if (dof < n) return "coordinate '" + coordinates()[static_cast<size_t>(dof)].name + "'";
  const int further = dof - n + skeleton_.dof_count();
  size_t k = parts().size() - 1;
  while (place(k).dof > further) --k;
  return parts()[k]->dof_name(further - place(k).dof);
}

int System::constraint_of_row(int row) const {
  int constraint = -1;
  for (int end = 0; end <= row; end += constraints_[static_cast<size_t>(constraint)]->rows())
    ++constraint;
  return constraint;
}

State System::default_state() const {
  State state = described_state();
  state.q = q0_;
  state.qdot = qdot0_;
  return state;
}

State System::described_state() const {
  State state = sinew::described_state(coordinates());
  state.q.conservativeResize(dof_count());
  state.qdot.conservativeResize(dof_count());
  for (size_t k = 0; k < parts().size(); ++k) {
    const int first = state_dof(k), count = parts()[k]->dof_count();
    parts()[k]->place(state.q.segment(first, count), state.qdot.segment(first, count));
  }
  state.z = z0_;
  return state;
}

}  // namespace sinew
