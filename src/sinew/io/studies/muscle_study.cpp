#include "sinew/io/studies/muscle_study.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/analysis/muscle_drive.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/motion_checks.hpp"
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

/// The ranges without locked coordinates, which are `held` at their defaults.
PoseRange free_range(const StudiedMuscles& source, std::vector<int>& held) {
  PoseRange out = source.range;
  for (size_t k = 0; k < source.coordinates().size(); ++k) {
    if (!source.model.locked.contains(source.coordinates()[k].name)) continue;
    held.push_back(static_cast<int>(k));
    out.lower[index(k)] = out.upper[index(k)] = source.q0[index(k)];
  }
  return out;
}

std::optional<Mirror> mirror_of(const LoadedModel& model) {
  if (model.scene && model.scene->system.coordinate_map() != nullptr) return std::nullopt;
  return find_mirror(model.skeleton);
}

System system_of(const WeighedModel& model) {
  SystemBuilder builder(model.skeleton);
  for (const Muscle& muscle : model.muscles) builder.add_muscle(muscle);
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
  MuscleSweep out;
  if (range) {
    std::tie(lower, upper) = *range;
    CoordinateTable ends{.source = "--range", .times = {0, 1}, .q = {}};
    ends.q.setConstant(2, source.q0.size(), std::nan(""));
    ends.q.col(at) << lower, upper;
    require_plausible(ends, source.model.target);
    out.doubts = doubts_of(ends, source.model.target);
  }
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

std::vector<VecX> routing_poses(const StudiedMuscles& source) {
  constexpr int kPoses = 16;
  std::vector<int> held;
  PoseSequence poses(free_range(source, held), mirror_of(source.model), 1);
  std::vector<VecX> out = {source.q0};
  for (int k = 0; k < kPoses; ++k) {
    out.push_back(0.5 * (source.q0 + poses.next()));
    source.model.target.coupled.follow(out.back());
  }
  return out;
}

WeighedModel weighed_model(const StudiedMuscles& source, const MuscleMassOptions& options,
                           const std::vector<VecX>& poses) {
  LoadedModel model = source.model;
  if (model.scene) return {model.skeleton, model.muscles, lumped_mass(model), {}};
  const UnweighedModel bare = unweighed(model, poses);
  MassTransfer transfer =
      move_muscle_mass(options, bare.bones, bare.muscles, bare.reference).transfer;
  return {transfer.skeleton, std::move(transfer.muscles), std::move(transfer.moves),
          model.warnings};
}

std::vector<MusclePoints> muscle_points(const WeighedModel& model, int count) {
  std::vector<MusclePoints> out;
  for (const Muscle& muscle : model.muscles)
    if (muscle.has_mass()) out.emplace_back(model.skeleton, muscle, count);
  if (out.empty())
    throw Error("--points", "no muscle has mass", "give them some, as by --muscle-mass");
  return out;
}

void follow_points(const Skeleton& skeleton, const std::vector<MusclePoints>& muscles,
                   const Motion& motion, const PointsSink& go_on) {
  SkeletonWorkspace ws(skeleton);
  SpanPathWorkspace path;
  for (const MotionSample& sample : motion) {
    const ConstVecRef q = sample.q, qdot = sample.qdot;
    update_kinematics(skeleton, q, qdot, ws);
    std::vector<std::vector<MaterialPoint>> points;
    for (const MusclePoints& muscle : muscles)
      points.push_back(muscle.at({skeleton, sample.t, q, qdot, ws}, path));
    if (!go_on(sample.t, points)) return;
  }
}

RankedModel ranked_model(const StudiedMuscles& source, const MuscleMassOptions& options) {
  std::vector<int> held;
  PoseRange range = free_range(source, held);
  WeighedModel model = weighed_model(source, options, routing_poses(source));
  System system = source.model.scene ? source.model.system() : system_of(model);
  return {{std::move(system), std::move(model.lumped), source.model.target.coupled, held},
          std::move(range),
          mirror_of(source.model),
          std::move(model.warnings)};
}

}  // namespace sinew
