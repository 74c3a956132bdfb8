#include "sinew/io/studies/muscle_study.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/analysis/muscle_drive.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/muscles/transfer/mass_on_bones.hpp"

namespace sinew {
namespace {

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

MuscleDrive read_drive(const std::vector<DrivenMuscle>& muscles, const std::vector<double>& times,
                       const MuscleDriveSource& from, std::vector<std::string>& warnings) {
  const std::string file = from.states.empty() ? from.controls : from.states;
  if (file.empty()) return constant_drive(muscles, times.size(), from.activation);
  const StorageFile storage = read_storage(file);
  warnings = storage.warnings;
  return from.states.empty() ? drive_from_controls(muscles, times, storage.table)
                             : drive_from_states(muscles, times, storage.table);
}

size_t find_coordinate(const StudiedMuscles& source, const std::string& name) {
  std::vector<std::string> names;
  for (const Coordinate& c : source.coordinates()) names.push_back(c.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error("--coordinate", "there is no coordinate '" + name + "'", suggest(name, names));
  const auto k = static_cast<size_t>(found - names.begin());
  if (const auto* coupling =
          source.model.target.coupled.coupling_of(DofIndex(static_cast<int>(k)))) {
    const std::vector<DofIndex> others = coupling->independent();
    throw Error("--coordinate",
                "'" + name + "' follows others, by the coupler '" + coupling->name() + "'",
                others.empty() ? "name another one"
                               : "name '" + names[static_cast<size_t>(others[0].value)] + "'");
  }
  return k;
}

/// The muscles' mass on the bones that gave it, or that they lie along.
std::vector<MassMove> lumped_mass(const LoadedModel& model) {
  if (model.muscle_mass) return model.muscle_mass->transfer.moves;
  if (const auto& origin = model.mass_origin)
    return transfer_mass(origin->bones, origin->muscles, origin->policy).moves;
  return mass_along_bodies(model.skeleton, model.muscles);
}

/// Poses between the default one and those within the ranges: surfaces of OpenSim's paths are put
/// where these ask for. Always the same, and as many of the left side as of the right.
std::vector<VecX> routing_poses(const StudiedMuscles& source, const PoseRange& range,
                                const std::optional<Mirror>& mirror) {
  constexpr int kPoses = 16;
  std::vector<VecX> out = {source.q0};
  PoseSequence poses(range, mirror, 1);
  for (int k = 0; k < kPoses; ++k) {
    out.push_back(0.5 * (source.q0 + poses.next()));
    source.model.target.coupled.follow(out.back());
  }
  return out;
}

System system_of(const MassTransfer& transfer) {
  SystemBuilder builder(transfer.skeleton);
  for (const Muscle& muscle : transfer.muscles) builder.add_muscle(muscle);
  return builder.build();
}

}  // namespace

MuscleStudy follow_muscles(const StudiedMuscles& source, const Motion& motion,
                           const std::function<bool(double)>& go_on) {
  const Eigen::Index n = index(source.names.size()), samples = index(motion.size());
  MuscleStudy out;
  out.length.resize(n, samples);
  out.rate.resize(n, samples);
  out.geometric_arms.assign(source.coordinates().size(), MatX(n, samples));
  out.effective_arms = out.geometric_arms;
  std::vector<MusclePath> paths;
  for (size_t k = 0; k < motion.size() && go_on(motion[k].t); ++k) {
    source.update(motion[k].t, motion[k].q, motion[k].qdot, paths);
    const MatX couplings = source.couplings(motion[k].q);
    for (size_t i = 0; i < paths.size(); ++i) {
      out.length(index(i), index(k)) = paths[i].length;
      out.rate(index(i), index(k)) = paths[i].rate;
      const VecX effective = couplings * paths[i].moment_arms;
      for (size_t c = 0; c < source.coordinates().size(); ++c) {
        out.geometric_arms[c](index(i), index(k)) = paths[i].moment_arms[index(c)];
        out.effective_arms[c](index(i), index(k)) = effective[index(c)];
      }
    }
    out.coupled |= !couplings.isIdentity(0);
    out.times.push_back(motion[k].t);
  }
  out.interrupted = out.times.size() < motion.size();
  return out;
}

void add_forces(const StudiedMuscles& source, const MuscleDriveSource& from, MuscleStudy& out) {
  std::vector<DrivenMuscle> driven;
  for (size_t i = 0; i < source.names.size(); ++i) {
    if (!source.hill[i]) continue;
    out.driven.push_back(i);
    driven.push_back({source.names[i], *source.hill[i]});
  }
  if (driven.empty() && (from.activation || !from.states.empty() || !from.controls.empty()))
    throw Error(source.model.model_name, "has no muscles whose forces are known",
                "leave out --activation, --states and --controls");
  const MuscleDrive drive = read_drive(driven, out.times, from, out.warnings);
  out.warnings.insert(out.warnings.end(), drive.warnings.begin(), drive.warnings.end());
  for (size_t d = 0; d < driven.size(); ++d) {
    const Eigen::Index i = index(out.driven[d]);
    std::vector<HillInstant>& instants = out.hill.emplace_back();
    for (size_t k = 0; k < out.times.size(); ++k) {
      const double fibre = drive.fibre_length(index(d), index(k));
      instants.push_back(hill_instant(driven[d].hill.muscle, drive.activation(index(d), index(k)),
                                      out.length(i, index(k)), out.rate(i, index(k)),
                                      std::isnan(fibre) ? std::nullopt : std::optional(fibre)));
    }
  }
}

MuscleSweep sweep_coordinate(const StudiedMuscles& source, const std::string& coordinate,
                             std::optional<std::pair<double, double>> range, int samples) {
  const size_t k = find_coordinate(source, coordinate);
  const auto at = static_cast<Eigen::Index>(k);
  double lower = source.range.lower[at], upper = source.range.upper[at];
  if (range) std::tie(lower, upper) = *range;
  MuscleSweep out;
  out.labels = {coordinate};
  for (const std::string& name : source.names)
    out.labels.insert(out.labels.end(),
                      {name + "_length", name + "_" + coordinate + "_moment_arm"});
  VecX q = source.q0;
  std::vector<MusclePath> paths;
  for (int s = 0; s < samples; ++s) {
    const double share = samples == 1 ? 0 : s / (samples - 1.0);
    q[at] = lower + share * (upper - lower);
    VecX speeds = VecX::Unit(q.size(), at), unused = VecX::Zero(q.size());
    source.model.target.coupled.follow(q, speeds, unused);
    source.update(0, q, VecX::Zero(q.size()), paths);
    std::vector<double>& row = out.rows.emplace_back();
    row.push_back(q[at]);
    for (const MusclePath& path : paths)
      row.insert(row.end(), {path.length, path.moment_arms.dot(speeds)});
  }
  return out;
}

RankedModel ranked_model(const StudiedMuscles& source, const MuscleMassOptions& options) {
  LoadedModel model = source.model;
  PoseRange range = source.range;
  std::vector<int> held;
  for (size_t k = 0; k < source.coordinates().size(); ++k) {
    if (!model.locked.contains(source.coordinates()[k].name)) continue;
    held.push_back(static_cast<int>(k));
    range.lower[index(k)] = range.upper[index(k)] = source.q0[index(k)];
  }
  if (model.scene) {
    System system = model.system();
    std::optional<Mirror> mirror;
    if (system.coordinate_map() == nullptr) mirror = find_mirror(model.skeleton);
    return {{std::move(system), lumped_mass(model), model.target.coupled, held}, range, mirror, {}};
  }
  const std::optional<Mirror> mirror = find_mirror(model.skeleton);
  const UnweighedModel bare = unweighed(model, routing_poses(source, range, mirror));
  const MassTransfer transfer =
      move_muscle_mass(options, bare.bones, bare.muscles, bare.reference).transfer;
  return {{system_of(transfer), transfer.moves, model.target.coupled, held},
          range,
          mirror,
          model.warnings};
}

}  // namespace sinew
