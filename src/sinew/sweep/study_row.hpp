#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinew {

/// How a run of a study ended.
enum class RowStatus : std::uint8_t {
  missing,       ///< not computed yet
  passed,        ///< to its end, and its audit passed
  audit_failed,  ///< to its end, but its audit failed
  failed,        ///< before its end
  refused,       ///< these values make no model
  crashed,       ///< the process that computed it died
};
inline constexpr std::array<const char*, 6> kRowStatusNames = {"missing", "passed",  "audit_failed",
                                                               "failed",  "refused", "crashed"};
inline const char* name_of(RowStatus status) {
  return kRowStatusNames[static_cast<size_t>(status)];
}

/// What a study keeps of one run.
struct StudyRow {
  std::uint64_t run = 0;
  RowStatus status = RowStatus::missing;
  std::vector<double> results = {};  ///< NaN: none
  double time = 0;                   ///< that it came to [s]
  std::string reason = {};           ///< why it did not pass; empty if it did
  double seconds = 0;                ///< that it took
};

}  // namespace sinew
