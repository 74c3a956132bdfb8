#pragma once

#include <filesystem>
#include <limits>

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/io/tables/motion_target.hpp"

/// Motions for inverse dynamics, from files of coordinates over time.

namespace sinew {

struct MotionOptions {
  double cutoff = 0;            ///< of the low-pass filter [Hz]; 0: no filter
  bool opensim_filter = false;  ///< filter as OpenSim's tools do, not with a smoothing spline
  double start = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();  ///< [s]
};

struct MotionReading {
  Motion motion;
  double first_row = 0, last_row = 0;  ///< of the file [s]
  double row_step = 0;                 ///< mean time between its rows [s]
  std::vector<std::string> warnings;   ///< in words
};

/// The coordinates of a .mot or .sto file at its times, with rates and accelerations from quintic
/// splines. Coupled coordinates follow the others, and the file's values for them are ignored; free
/// ones that the file lacks keep their default values. Throws an Error naming the file if it has no
/// coordinate, if values, rates or accelerations are impossible, or if there are no rows between
/// start and end.
MotionReading read_motion(const std::filesystem::path& path, const MotionTarget& target,
                          const MotionOptions& options);

}  // namespace sinew
