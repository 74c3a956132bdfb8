#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Runs and motions as files of other programs.

namespace sinew {

struct ExportOptions {
  /// Frames a second; 0: every row (.glb only). None: kExportRate, and kFewestFrames of short
  /// motions in .glb if they have as many rows.
  std::optional<double> rate;
  /// Hears the time of every frame and that of the last [s]; may be empty.
  std::function<void(double, double)> progress;
};
inline constexpr double kExportRate = 60;
inline constexpr size_t kFewestFrames = 240;

/// What was written.
struct ExportRecord {
  std::filesystem::path file;
  std::string format;  ///< "glb" or "bvh"
  size_t bytes = 0, frames = 0, bodies = 0, muscles = 0, soft_bodies = 0;
  double start = 0, end = 0;          ///< [s]
  std::vector<std::string> warnings;  ///< in words
};

/// The run in a folder of `sinew simulate`. The ending of `file`, .glb or .bvh, chooses the format.
/// Throws an Error if the run does not exist, its model has changed, or the file cannot be written.
ExportRecord export_run(const std::filesystem::path& folder, const std::filesystem::path& file,
                        const ExportOptions& options);

/// A model along a motion: coordinates over time, .mot or .sto.
ExportRecord export_motion(const std::string& model, const std::filesystem::path& motion,
                           const std::filesystem::path& file, const ExportOptions& options);

}  // namespace sinew
