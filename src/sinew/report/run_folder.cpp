#include "sinew/report/run_folder.hpp"

#include <map>

#include "sinew/analysis/reactions.hpp"

namespace sinew {
namespace {

std::vector<std::string> state_labels(const System& system) {
  std::vector<std::string> labels;
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name);
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name + "_u");
  return labels;
}

/// Where each body's origin is, world frame [m].
std::vector<std::string> position_labels(const Skeleton& skeleton) {
  std::vector<std::string> labels;
  for (const Body& body : skeleton.bodies())
    for (const char* axis : {"_X", "_Y", "_Z"}) labels.push_back(body.name + axis);
  return labels;
}

bool wraps(const MuscleElement& muscle) {
  for (const PathSpan& span : muscle.muscle().spans)
    if (!std::holds_alternative<Straight>(span.wrap)) return true;
  return false;
}

std::vector<std::string> muscle_labels(const System& system) {
  std::vector<std::string> labels;
  for (const MuscleEntry& m : list_muscles(system)) {
    for (const char* what : {"_length", "_rate", "_tension"}) labels.push_back(m.name + what);
    if (m.muscle >= 0 && wraps(*system.muscles()[static_cast<size_t>(m.muscle)]))
      labels.push_back(m.name + "_wrapped_angle");
  }
  for (const auto& hill : system.hill_muscles())
    for (const char* what : {"_activation", "_fibre_length"}) labels.push_back(hill->name() + what);
  return labels;
}

std::span<const double> span_of(const VecX& v) { return {v.data(), static_cast<size_t>(v.size())}; }

}  // namespace

RunFolder::RunFolder(const std::filesystem::path& folder, TableFormat format,
                     const std::string& name, const System& system,
                     const std::vector<std::string>& state_names)
    : results_(folder, format), system_(system) {
  const Skeleton& skeleton = system_.skeleton();
  const auto add = [&](const std::string& table, const std::vector<std::string>& labels) {
    return labels.empty() ? nullptr : &results_.add(table, name + "_" + table, labels);
  };
  states_ = add("states", state_labels(system));
  osim_states_ = add(name + "_states", state_names);
  bodies_ = add("bodies", position_labels(skeleton));
  energy_ = add("energy", {"kinetic", "gravity", "elastic", "total"});
  reactions_ = add("reactions", reaction_labels(system));
  muscles_ = add("muscles", muscle_labels(system));
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<size_t>>> tables;
  for (size_t k = 0; k < system_.parts().size(); ++k) {
    const PartColumns own = system_.parts()[k]->columns();
    if (own.names.empty()) continue;
    auto& [labels, parts] = tables[own.table];
    labels.insert(labels.end(), own.names.begin(), own.names.end());
    parts.push_back(k);
  }
  for (const auto& [title, table] : tables)
    parts_.push_back({add(title, table.first), table.second});
  const auto& muscles = system.muscles();
  for (const MuscleEntry& m : list_muscles(system))
    wraps_.push_back(m.muscle >= 0 && wraps(*muscles[static_cast<size_t>(m.muscle)]));
}

namespace {

/// Activation and fibre length of one Hill muscle after the other.
void add_internal_state(const State& state, std::vector<double>& out) {
  const Eigen::Index muscles = state.z.size() / 2;
  for (Eigen::Index k = 0; k < muscles; ++k)
    out.insert(out.end(), {state.z[k], state.z[muscles + k]});
}

}  // namespace

std::vector<double> RunFolder::osim_states_of(const Row& row) const {
  std::vector<double> out;
  for (Eigen::Index k = 0; k < row.q.size(); ++k) out.insert(out.end(), {row.q[k], row.qdot[k]});
  add_internal_state(row.state, out);
  return out;
}

void RunFolder::add_row(const Row& row, Workspace& ws) {
  const auto& [t, q, qdot, energy, reactions, muscles, state] = row;
  positions_.clear();
  const Skeleton& skeleton = system_.skeleton();
  for (int i = 0; i < skeleton.body_count(); ++i) {
    const Vec3 p = body_pose(skeleton, ws.skeleton, BodyIndex(i)).p;
    positions_.insert(positions_.end(), p.begin(), p.end());
  }
  const double columns[] = {energy.kinetic, energy.gravity, energy.elastic, energy.total()};
  states_->add_row(t, {span_of(q), span_of(qdot)});
  if (osim_states_) osim_states_->add_row(t, {osim_states_of(row)});
  bodies_->add_row(t, {positions_});
  energy_->add_row(t, {columns});
  if (reactions_) reactions_->add_row(t, {reactions});
  add_parts(row.state, ws);
  if (muscles_) add_muscles(row);
  // The first row costs nothing and may be the last: a run that is refused leaves the folder alone.
  if (states_->rows() == 2) results_.take_over();
}

void RunFolder::add_parts(const State& state, Workspace& ws) {
  for (const PartTable& table : parts_) {
    positions_.clear();
    for (const size_t k : table.parts)
      system_.parts()[k]->measure(part_at(system_, k, state, ws), *ws.parts[k], positions_);
    table.writer->add_row(state.t, {positions_});
  }
}

void RunFolder::add_muscles(const Row& row) {
  lengths_.clear();
  for (size_t i = 0; i < row.muscles.size(); ++i) {
    lengths_.insert(lengths_.end(),
                    {row.muscles[i].length, row.muscles[i].rate, row.muscles[i].tension});
    if (wraps_[i]) lengths_.push_back(row.muscles[i].wrapped_angle);
  }
  add_internal_state(row.state, lengths_);
  muscles_->add_row(row.t, {lengths_});
}

}  // namespace sinew
