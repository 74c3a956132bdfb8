#pragma once

#include <filesystem>
#include <limits>

#include "sinew/analysis/motion.hpp"

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
/// splines. Coordinates that the file does not have keep their default values. Throws an Error
/// naming the file where it has none of them, and where nothing is between start and end.
MotionReading read_motion(const std::filesystem::path& path,
                          const std::vector<Coordinate>& coordinates, const MotionOptions& options);

}  // namespace sinew
