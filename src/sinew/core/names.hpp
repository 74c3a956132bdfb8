#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The candidate nearest to `name` by edit distance, whatever the case of its letters; the first of
/// several. Empty if none is near: more than a third of the letters of `name`, or more than one of
/// a short name, would have to change.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'x'?", or "known: a, b, c" (cut to a few) where nothing is near.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

/// Throws an Error where a coordinate takes the name that the times have in tables.
void require_coordinate_name(const std::string& name);

}  // namespace sinew
