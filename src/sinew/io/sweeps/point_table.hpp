#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// The points of a table whose first line has names and each further one numbers, between commas or
/// tabs: for each row the columns with these names, in this order. Other columns are left out.
/// Throws an Error with file and line.
std::vector<double> read_points(const std::filesystem::path& path,
                                const std::vector<std::string>& names);
/// The same from text; `file` stands for it in messages.
std::vector<double> parse_points(std::string_view text, const std::string& file,
                                 const std::vector<std::string>& names);

}  // namespace sinew
