#pragma once

#include <filesystem>
#include <limits>

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/io/tables/motion_target.hpp"

/// Motions for inverse dynamics, from files of coordinates over time.

namespace sinew {

struct MotionOptions {
  double cutoff = 0;            ///< of the low-pass filter [Hz]; 0: the rows as they are
  bool opensim_filter = false;  ///< as OpenSim's tools filter, instead of a smoothing spline
  double start = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();  ///< [s]
};

struct MotionReading {
  Motion motion;
  std::vector<std::string> warnings;  ///< in words
};

/// The coordinates of a .mot or .sto file at its times, with rates and accelerations from quintic
/// splines. Coupled coordinates follow the others, whatever the file says of them; free ones that
/// the file does not have keep their default values. Throws an Error naming the file where it has
/// none of them, where values, rates or accelerations are none that anything moves by, and where
/// nothing is between start and end.
MotionReading read_motion(const std::filesystem::path& path, const MotionTarget& target,
                          const MotionOptions& options);

}  // namespace sinew
