#pragma once

#include "cli/commands/options.hpp"
#include "sinew/io/studies/muscle_study.hpp"

namespace sinew::cli {

/// Without a motion: the default pose, or a coordinate's range.
struct MusclesOptions {
  MotionStudy study;
  StudyOutput output;
  std::string coordinate;      ///< to sweep; empty: the default pose
  std::vector<double> range;   ///< its range; empty: the model's
  std::optional<int> samples;  ///< none: 100 values of a coordinate; poses as ranks need them
  bool rank = false;
  std::uint64_t seed = 1;
  MuscleMassOptions mass;  ///< for the ranking of OpenSim's muscles
  MuscleDriveSource drive;
};

/// `sinew muscles` along a motion; returns an ExitCode. `typed` is the command line.
int run_muscle_motion(const StudiedMuscles& source, const MusclesOptions& options,
                      const std::string& typed);

}  // namespace sinew::cli
