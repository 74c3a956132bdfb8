#include "sinew/report/run_columns.hpp"

#include <map>

#include "sinew/analysis/reactions.hpp"
#include "sinew/math/body_angles.hpp"

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

/// Activation and fibre length of one Hill muscle after the other.
void append_internal_state(const State& state, std::vector<double>& out) {
  const Eigen::Index muscles = state.z.size() / 2;
  for (Eigen::Index k = 0; k < muscles; ++k)
    out.insert(out.end(), {state.z[k], state.z[muscles + k]});
}

void append_bodies(const Snapshot& snapshot, std::vector<double>& out) {
  for (const Pose& body : snapshot.bodies) out.insert(out.end(), body.p.begin(), body.p.end());
  for (const Pose& body : snapshot.bodies) {
    const Vec3 angles = body_fixed_xyz(body.R);
    out.insert(out.end(), angles.begin(), angles.end());
  }
}

}  // namespace

RunColumns::RunColumns(const System& system, const std::string& name,
                       const std::vector<std::string>& state_names)
    : system_(system) {
  const auto add = [&](Content content, const std::string& table,
                       const std::vector<std::string>& labels, std::vector<Slice> slices = {}) {
    if (labels.empty()) return;
    tables_.push_back({table, labels, {}});
    sources_.push_back({content, std::move(slices)});
  };
  add(Content::states, "states", state_labels(system));
  add(Content::osim_states, name + "_states", state_names);
  add(Content::bodies, "bodies", body_labels(system.skeleton()));
  add(Content::energy, "energy", {"kinetic", "gravity", "elastic", "total"});
  add(Content::reactions, "reactions", reaction_labels(system));
  add(Content::muscles, "muscles", muscle_labels(system));
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<Slice>>> of_parts;
  size_t next = 0;
  for (const auto& part : system.parts())
    for (const PartColumns& own : part->columns()) {
      auto& [labels, slices] = of_parts[own.table];
      labels.insert(labels.end(), own.names.begin(), own.names.end());
      slices.push_back({next, own.names.size()});
      next += own.names.size();
    }
  for (const auto& [title, table] : of_parts) add(Content::parts, title, table.first, table.second);
  for (const auto& m : system.muscles()) wraps_.push_back(wraps(*m));
}

void RunColumns::update(const State& state, const Snapshot& snapshot,
                        std::span<const double> reactions, Workspace& ws) {
  measured_.clear();
  for (size_t k = 0; k < system_.parts().size(); ++k)
    system_.parts()[k]->measure(part_at(system_, k, state, ws), *ws.parts[k], measured_);
  for (size_t k = 0; k < tables_.size(); ++k) {
    std::vector<double>& out = tables_[k].values;
    out.clear();
    switch (sources_[k].content) {
      case Content::states:
        out.insert(out.end(), snapshot.q.begin(), snapshot.q.end());
        out.insert(out.end(), snapshot.qdot.begin(), snapshot.qdot.end());
        break;
      case Content::osim_states:
        for (Eigen::Index i = 0; i < snapshot.q.size(); ++i)
          out.insert(out.end(), {snapshot.q[i], snapshot.qdot[i]});
        append_internal_state(state, out);
        break;
      case Content::bodies:
        append_bodies(snapshot, out);
        break;
      case Content::energy: {
        const Energy& energy = snapshot.energy;
        out = {energy.kinetic, energy.gravity, energy.elastic, energy.total()};
        break;
      }
      case Content::reactions:
        out.assign(reactions.begin(), reactions.end());
        break;
      case Content::muscles:
        for (size_t i = 0; i < snapshot.paths.size(); ++i) {
          const MusclePath& path = snapshot.paths[i];
          out.insert(out.end(), {path.length, path.rate, path.tension});
          if (wraps_[i]) out.push_back(path.wrapped_angle);
        }
        append_internal_state(state, out);
        break;
      case Content::parts:
        for (const auto [first, count] : sources_[k].slices) {
          const auto begin = measured_.begin() + static_cast<std::ptrdiff_t>(first);
          out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        }
    }
  }
}

}  // namespace sinew
