#include "sinew/report/run_folder.hpp"

#include <map>

#include "sinew/analysis/reactions.hpp"
#include "sinew/report/body_angles.hpp"

namespace sinew {
namespace {

std::vector<std::string> state_labels(const System& system) {
  std::vector<std::string> labels;
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name);
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name + "_u");
  return labels;
}

/// The position of each body's origin, world frame [m], then the orientations, as OpenSim's
/// BodyKinematics names them.
std::vector<std::string> body_labels(const Skeleton& skeleton) {
  std::vector<std::string> labels;
  for (const Body& body : skeleton.bodies())
    for (const char* axis : {"_X", "_Y", "_Z"}) labels.push_back(body.name + axis);
  for (const Body& body : skeleton.bodies())
    for (const char* axis : {"_Ox", "_Oy", "_Oz"}) labels.push_back(body.name + axis);
  return labels;
}

/// Whether the path that it pulls along has spans around surfaces.
bool wraps(const MuscleElement& muscle) {
  if (muscle.opensim_path()) return false;
  for (const PathSpan& span : muscle.muscle().spans)
    if (!std::holds_alternative<Straight>(span.wrap)) return true;
  return false;
}

std::vector<std::string> muscle_labels(const System& system) {
  std::vector<std::string> labels;
  for (const auto& m : system.muscles()) {
    for (const char* what : {"_length", "_rate", "_tension"}) labels.push_back(m->name() + what);
    if (wraps(*m)) labels.push_back(m->name() + "_wrapped_angle");
  }
  for (const size_t k : system.hill_muscles())
    for (const char* what : {"_activation", "_fibre_length"})
      labels.push_back(system.muscles()[k]->name() + what);
  return labels;
}

std::span<const double> span_of(const VecX& v) { return {v.data(), static_cast<size_t>(v.size())}; }

}  // namespace

RunFolder::RunFolder(const std::filesystem::path& folder, TableFormat format,
                     const std::string& name, const System& system,
                     const std::vector<std::string>& state_names, bool adaptive)
    : results_(folder, format), system_(system) {
  const Skeleton& skeleton = system_.skeleton();
  const auto add = [&](const std::string& table, const std::vector<std::string>& labels) {
    return labels.empty() ? nullptr : &results_.add(table, name + "_" + table, labels);
  };
  states_ = add("states", state_labels(system));
  osim_states_ = add(name + "_states", state_names);
  bodies_ = add("bodies", body_labels(skeleton));
  energy_ = add("energy", {"kinetic", "gravity", "elastic", "total"});
  reactions_ = add("reactions", reaction_labels(system));
  muscles_ = add("muscles", muscle_labels(system));
  steps_ = adaptive ? add("steps", {"length", "next_length"}) : nullptr;
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<PartTable::Slice>>> tables;
  size_t next = 0;
  for (const auto& part : system_.parts())
    for (const PartColumns& own : part->columns()) {
      if (own.names.empty()) continue;
      auto& [labels, slices] = tables[own.table];
      labels.insert(labels.end(), own.names.begin(), own.names.end());
      slices.push_back({next, own.names.size()});
      next += own.names.size();
    }
  for (const auto& [title, table] : tables)
    parts_.push_back({add(title, table.first), table.second});
  for (const auto& m : system.muscles()) wraps_.push_back(wraps(*m));
}

namespace {

/// Activation and fibre length of one Hill muscle after the other.
void add_internal_state(const State& state, std::vector<double>& out) {
  const Eigen::Index muscles = state.z.size() / 2;
  for (Eigen::Index k = 0; k < muscles; ++k)
    out.insert(out.end(), {state.z[k], state.z[muscles + k]});
}

std::vector<double> osim_states_of(const State& state, const Snapshot& snapshot) {
  std::vector<double> out;
  for (Eigen::Index k = 0; k < snapshot.q.size(); ++k)
    out.insert(out.end(), {snapshot.q[k], snapshot.qdot[k]});
  add_internal_state(state, out);
  return out;
}

}  // namespace

void RunFolder::add_row(const State& state, const Snapshot& snapshot,
                        std::span<const double> reactions, Workspace& ws) {
  const double t = state.t;
  positions_.clear();
  for (const Pose& body : snapshot.bodies)
    positions_.insert(positions_.end(), body.p.begin(), body.p.end());
  for (const Pose& body : snapshot.bodies) {
    const Vec3 angles = body_fixed_xyz(body.R);
    positions_.insert(positions_.end(), angles.begin(), angles.end());
  }
  const Energy& energy = snapshot.energy;
  const double columns[] = {energy.kinetic, energy.gravity, energy.elastic, energy.total()};
  if (states_) states_->add_row(t, {span_of(snapshot.q), span_of(snapshot.qdot)});
  if (osim_states_) osim_states_->add_row(t, {osim_states_of(state, snapshot)});
  bodies_->add_row(t, {positions_});
  energy_->add_row(t, {columns});
  if (reactions_) reactions_->add_row(t, {reactions});
  add_parts(state, ws);
  if (muscles_) add_muscles(state, snapshot);
  // The first row costs nothing and may be the last: a run that is refused leaves the folder alone.
  if (energy_->rows() == 2) results_.take_over();
}

void RunFolder::add_step(const State& state, const StepReport& report) {
  const double columns[] = {report.h, state.memory.h_next};
  if (steps_) steps_->add_row(state.t, {columns});
}

void RunFolder::add_parts(const State& state, Workspace& ws) {
  measured_.clear();
  for (size_t k = 0; k < system_.parts().size(); ++k)
    system_.parts()[k]->measure(part_at(system_, k, state, ws), *ws.parts[k], measured_);
  for (const PartTable& table : parts_) {
    positions_.clear();
    for (const auto [first, count] : table.slices) {
      const auto begin = measured_.begin() + static_cast<std::ptrdiff_t>(first);
      positions_.insert(positions_.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    table.writer->add_row(state.t, {positions_});
  }
}

void RunFolder::add_muscles(const State& state, const Snapshot& snapshot) {
  lengths_.clear();
  for (size_t i = 0; i < snapshot.paths.size(); ++i) {
    const MusclePath& path = snapshot.paths[i];
    lengths_.insert(lengths_.end(), {path.length, path.rate, path.tension});
    if (wraps_[i]) lengths_.push_back(path.wrapped_angle);
  }
  add_internal_state(state, lengths_);
  muscles_->add_row(state.t, {lengths_});
}

}  // namespace sinew
