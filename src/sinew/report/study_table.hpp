#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// The table of a study, read back: docs/studies.md.
struct StudyTable {
  std::vector<std::uint64_t> run;
  std::vector<std::vector<double>> parameters, results;  ///< columns; NaN: none
  std::vector<std::string> status, reason;
  std::vector<double> time;  ///< that the run came to [s]
};

/// Throws an Error if there is no table, or one whose columns are not run, these parameters,
/// status, these results, time and reason. `remedy`: how to write it anew.
StudyTable read_study_table(const std::filesystem::path& path,
                            const std::vector<std::string>& parameters,
                            const std::vector<std::string>& results, const std::string& remedy);

}  // namespace sinew
