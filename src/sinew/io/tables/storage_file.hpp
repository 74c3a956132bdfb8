#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "sinew/analysis/motion/motion_table.hpp"

/// OpenSim's tables over time: .sto and .mot, versions 1 to 3. See docs/motion_files.md.

namespace sinew {

struct StorageFile {
  MotionTable table;
  std::string title;
  int version = 0;  ///< 0: not said
  bool in_degrees = false;
  /// What was odd and was put right, each with file and line.
  std::vector<std::string> warnings;
};

/// Throws an Error with file and line.
StorageFile read_storage(const std::filesystem::path& path);
/// The same of a text; what the name ends with (.mot or .sto) decides where the header is silent.
StorageFile parse_storage(std::string_view text, const std::string& name);

/// Turns degrees to radians, if the file is in degrees, in the columns that `rotational` says yes
/// to; no others are touched.
void to_radians(const std::function<bool(const std::string&)>& rotational, StorageFile& file);

/// Writes version 1 with 17 significant digits: the numbers read back bit by bit.
void write_storage(const std::filesystem::path& path, const MotionTable& table,
                   const std::string& title, bool in_degrees);

}  // namespace sinew
