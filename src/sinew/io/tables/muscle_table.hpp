#pragma once

#include <filesystem>
#include <map>
#include <string_view>

#include "sinew/muscles/path/muscle.hpp"

namespace sinew {

/// A line of a table of muscles.
struct MuscleTableRow {
  double mass = 0;                        ///< [kg], > 0
  double belly_begin = 0, belly_end = 1;  ///< fractions of the path
  bool has_belly = false;                 ///< the table has these
};

/// Reads muscle,mass,belly_begin,belly_end; the last two columns may be missing. Throws an Error
/// with file and line.
std::map<std::string, MuscleTableRow> read_muscle_table(const std::filesystem::path& path);
/// The same from text; `source` stands for the file in messages.
std::map<std::string, MuscleTableRow> parse_muscle_table(std::string_view text,
                                                         const std::string& source);

/// Gives the muscles of the table mass, and a belly where the table has one. Throws an Error naming
/// a muscle that is not one of them.
void apply_muscle_table(const std::map<std::string, MuscleTableRow>& table,
                        std::vector<Muscle>& muscles);

}  // namespace sinew
