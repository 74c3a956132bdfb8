#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The candidate nearest to `name` by edit distance, ignoring case; the first if several are
/// equally near. Empty if none is near: more than a third of the letters of `name`, or more than
/// one of a short name, would have to change.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'x'?", or "known: a, b, c" (cut to a few) if nothing is near.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

/// Throws an Error if a coordinate has the name of the time column in tables.
void require_coordinate_name(const std::string& name);

}  // namespace sinew
