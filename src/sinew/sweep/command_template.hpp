#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// A command line with places for numbers: the page of a study makes the commands of its rows from
/// it (web/src/study/commands.ts).
struct CommandTemplate {
  std::vector<std::string> text = {""};  ///< around the places: one more than these
  std::vector<size_t> places = {};       ///< which of the numbers goes there

  void add(const std::string& more) { text.back() += more; }
  void add_place(size_t of) {
    places.push_back(of);
    text.emplace_back();
  }
  /// With as many digits as it takes to read the same numbers back.
  std::string with(std::span<const double> numbers) const;
};

}  // namespace sinew
