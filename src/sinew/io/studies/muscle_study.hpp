#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/analysis/muscle_points.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/studied_muscles.hpp"

/// Studies of muscles along a motion, over the range of a coordinate, and against the bones.

namespace sinew {

/// Muscles along a motion: a row for each muscle, a column for each instant.
struct MuscleStudy {
  std::vector<double> times;
  MatX length, rate;
  std::vector<MatX> geometric_arms, effective_arms;  ///< one for each coordinate
  bool coupled = false;                              ///< whether they differ somewhere
  std::vector<size_t> driven;                        ///< muscles whose force is known
  std::vector<std::vector<HillInstant>> hill;        ///< for the driven ones
  bool interrupted = false;
  std::vector<std::string> warnings;  ///< from the files that drive them
};

/// Paths at all instants of the motion, while `go_on(t)` says so.
MuscleStudy follow_muscles(const StudiedMuscles& source, const Motion& motion,
                           const std::function<bool(double)>& go_on);

/// The drive of the muscles of a study, one of these; none: each has its initial activation.
struct MuscleDriveSource {
  std::optional<double> activation;  ///< of all muscles
  std::string states, controls;      ///< files of activations or excitations
};
/// Forces and fibres at the instants of the study. Throws an Error where there is something to
/// drive muscles by and none whose force is known.
void add_forces(const StudiedMuscles& source, const MuscleDriveSource& from, MuscleStudy& out);

/// Lengths and moment arms −dl/dq while one coordinate goes through its range, coupled ones with
/// it.
struct MuscleSweep {
  std::vector<std::string> labels;
  std::vector<std::vector<double>> rows;
  std::vector<std::string> doubts;  ///< about a range that was given
};
/// Without a range through its own. Throws an Error for a coordinate that follows others.
MuscleSweep sweep_coordinate(const StudiedMuscles& source, const std::string& coordinate,
                             std::optional<std::pair<double, double>> range, int samples);

/// Muscles with their masses on a skeleton that lacks it.
struct WeighedModel {
  Skeleton skeleton;
  std::vector<Muscle> muscles;
  std::vector<MassMove> lumped;  ///< the mass of the muscles, on the bones
  std::vector<std::string> warnings;
};
/// Muscles of OpenSim's models weigh what the options say, and the bones beside them that much
/// less; surfaces are put where the poses ask for. Muscles of scenes are as loaded.
WeighedModel weighed_model(const StudiedMuscles& source, const MuscleMassOptions& options,
                           const std::vector<VecX>& poses);
/// The poses that decide where surfaces go if the user gives no motion: between the default one and
/// those within the ranges. Always the same, and as many of the left side as of the right.
std::vector<VecX> routing_poses(const StudiedMuscles& source);

/// Material points of the muscles with mass at all instants of a motion, muscle by muscle, while
/// `go_on` says so. It is given time and points. Throws an Error where a muscle has no path.
using PointsSink = std::function<bool(double, const std::vector<std::vector<MaterialPoint>>&)>;
void follow_points(const Skeleton& skeleton, const std::vector<MusclePoints>& muscles,
                   const Motion& motion, const PointsSink& go_on);
/// `count` points of each muscle that has mass. Throws an Error if none has.
std::vector<MusclePoints> muscle_points(const WeighedModel& model, int count);

/// A model with what is asked to rank its muscles (docs/theory/muscle_ranking.md).
struct RankedModel {
  RankedSystem ranked;
  PoseRange range;
  std::optional<Mirror> mirror;
  std::vector<std::string> warnings;
};
/// With the masses of weighed_model.
RankedModel ranked_model(const StudiedMuscles& source, const MuscleMassOptions& options);

}  // namespace sinew
