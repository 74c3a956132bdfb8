#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "sinew/analysis/motion/motion_table.hpp"
#include "sinew/math/time_function.hpp"

/// OpenSim's tables over time: .sto and .mot, versions 1 to 3. See docs/motion_files.md.

namespace sinew {

struct StorageFile {
  MotionTable table;
  std::string title;
  int version = 0;  ///< 0: not given
  bool in_degrees = false;
  /// How rows of controls are joined; our own key "interpolation".
  TimeFunction::Interpolation interpolation = TimeFunction::Interpolation::linear;
  /// Defects that were repaired, each with file and line.
  std::vector<std::string> warnings;
};

/// Throws an Error with file and line.
StorageFile read_storage(const std::filesystem::path& path);
/// The same from text; the extension of the name (.mot or .sto) decides if the header does not.
StorageFile parse_storage(std::string_view text, const std::string& name);

/// Turns degrees to radians, if the file is in degrees, in the columns for which `rotational` is
/// true; others stay unchanged.
void to_radians(const std::function<bool(const std::string&)>& rotational, StorageFile& file);

/// Writes version 1 with 17 significant digits: the numbers read back bit by bit.
void write_storage(const std::filesystem::path& path, const MotionTable& table,
                   const std::string& title, bool in_degrees);
/// The same rows, separated by commas, below a line of labels.
void write_csv(const std::filesystem::path& path, const MotionTable& table);

}  // namespace sinew
