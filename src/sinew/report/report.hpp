#pragma once

#include <filesystem>

namespace sinew {

/// The page's name in a run's folder.
inline constexpr const char* kReportName = "report.html";

/// Writes the page of the run in `folder`, drawn beside a second run unless `beside` is empty, to
/// the file `out`, or into the folder if that is empty. Returns the file's path.
std::filesystem::path write_report(const std::filesystem::path& folder,
                                   const std::filesystem::path& beside = {},
                                   const std::filesystem::path& out = {});

}  // namespace sinew
