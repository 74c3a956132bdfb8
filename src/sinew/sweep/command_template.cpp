#include "sinew/sweep/command_template.hpp"

#include <fmt/format.h>

namespace sinew {

std::string CommandTemplate::with(std::span<const double> numbers) const {
  std::string out = text[0];
  for (size_t k = 0; k < places.size(); ++k)
    out += fmt::format("{}", numbers[places[k]]) + text[k + 1];
  return out;
}

}  // namespace sinew
