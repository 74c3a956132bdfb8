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
  std::optional<int> points;  ///< material points of each muscle
  MuscleMassOptions mass;     ///< for ranks and points
  MuscleDriveSource drive;
};

/// `sinew muscles` along a motion; returns an ExitCode. `typed` is the command line.
int run_muscle_motion(const StudiedMuscles& source, const MusclesOptions& options,
                      const std::string& typed);

/// Material points of muscles with mass in the default pose or along a motion; returns an ExitCode.
int run_muscle_points(const StudiedMuscles& source, const MusclesOptions& options,
                      const std::string& typed);

}  // namespace sinew::cli
