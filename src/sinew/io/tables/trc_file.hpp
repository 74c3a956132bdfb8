#pragma once

#include <filesystem>
#include <string_view>

#include "sinew/analysis/motion/motion_table.hpp"

namespace sinew {

/// Marker trajectories. Positions in metres for all units of files; NaN if a marker is missing.
/// Column 3i + k of the table is coordinate k of marker i, labelled <marker>_x, _y, _z.
struct MarkerFile {
  double data_rate = 0, camera_rate = 0;  ///< [1/s]
  std::vector<std::string> markers;
  std::vector<int> frames;  ///< frame number of each row
  MotionTable table;
  std::vector<std::string> warnings;  ///< with file and line
};

/// Throws an Error with file and line.
MarkerFile read_trc(const std::filesystem::path& path);
MarkerFile parse_trc(std::string_view text, const std::string& name);
/// Writes millimetres if `millimetres`, otherwise metres, with 17 significant digits; missing
/// markers are left blank.
void write_trc(const std::filesystem::path& path, const MarkerFile& file, bool millimetres);

}  // namespace sinew
