#include "run_folder.hpp"

#include "sinew/analysis/reactions.hpp"

namespace sinew::cli {
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
  for (const auto& muscle : system.muscles()) {
    for (const char* what : {"_length", "_rate", "_tension"})
      labels.push_back(muscle->name() + what);
    if (wraps(*muscle)) labels.push_back(muscle->name() + "_wrapped_angle");
  }
  for (const auto& hill : system.hill_muscles())
    for (const char* what : {"_activation", "_fibre_length"})
      labels.push_back(hill->pull->name() + what);
  return labels;
}

std::span<const double> span_of(const VecX& v) { return {v.data(), static_cast<size_t>(v.size())}; }

}  // namespace

RunFolder::RunFolder(const std::filesystem::path& folder, TableFormat format, const Scene& scene)
    : results_(folder, format), skeleton_(scene.system.skeleton()) {
  const auto add = [&](const std::string& name, const std::vector<std::string>& labels) {
    return labels.empty() ? nullptr : &results_.add(name, scene.name + "_" + name, labels);
  };
  states_ = add("states", state_labels(scene.system));
  bodies_ = add("bodies", position_labels(skeleton_));
  energy_ = add("energy", {"kinetic", "gravity", "elastic", "total"});
  reactions_ = add("reactions", reaction_labels(scene.system));
  muscles_ = add("muscles", muscle_labels(scene.system));
  for (const auto& muscle : scene.system.muscles()) wraps_.push_back(wraps(*muscle));
}

void RunFolder::add_row(double t, const VecX& q, const VecX& qdot, const Energy& energy,
                        std::span<const double> reactions, std::span<const MusclePath> muscles,
                        std::span<const HillValues<double>> hill, const Workspace& ws) {
  positions_.clear();
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Vec3 p = body_pose(skeleton_, ws.skeleton, BodyIndex(i)).p;
    positions_.insert(positions_.end(), p.begin(), p.end());
  }
  const double columns[] = {energy.kinetic, energy.gravity, energy.elastic, energy.total()};
  states_->add_row(t, {span_of(q), span_of(qdot)});
  bodies_->add_row(t, {positions_});
  energy_->add_row(t, {columns});
  if (reactions_) reactions_->add_row(t, {reactions});
  if (!muscles_) return;
  lengths_.clear();
  for (size_t i = 0; i < muscles.size(); ++i) {
    lengths_.insert(lengths_.end(), {muscles[i].length, muscles[i].rate, muscles[i].tension});
    if (wraps_[i]) lengths_.push_back(muscles[i].wrapped_angle);
  }
  for (const HillValues<double>& values : hill)
    lengths_.insert(lengths_.end(), {values.activation, values.fibre_length});
  muscles_->add_row(t, {lengths_});
}

}  // namespace sinew::cli
