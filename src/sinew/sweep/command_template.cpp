#include "sinew/sweep/command_template.hpp"

#include <fmt/format.h>

namespace sinew {

std::string CommandTemplate::with(std::span<const double> numbers) const {
  std::string out = text[0];
  for (size_t k = 0; k < places.size(); ++k)
    out += fmt::format("{}", numbers[places[k]]) + text[k + 1];
  return out;
}

std::string shell_word(const std::string& text) {
  const bool plain =
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-=./:,") ==
      std::string::npos;
  if (plain && !text.empty()) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace sinew
