#pragma once

#include "sinew/analysis/motion/motion.hpp"
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
};
/// Without a range through its own. Throws an Error for a coordinate that follows others.
MuscleSweep sweep_coordinate(const StudiedMuscles& source, const std::string& coordinate,
                             std::optional<std::pair<double, double>> range, int samples);

/// A model with what is asked to rank its muscles (docs/theory/muscle_ranking.md).
struct RankedModel {
  RankedSystem ranked;
  PoseRange range;
  std::optional<Mirror> mirror;
  std::vector<std::string> warnings;
};
/// Muscles of OpenSim's models weigh what the options say, and the bones beside them that much
/// less; those of scenes too where the options say something.
RankedModel ranked_model(const StudiedMuscles& source, const MuscleMassOptions& options);

}  // namespace sinew
