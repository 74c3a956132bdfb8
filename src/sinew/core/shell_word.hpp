#pragma once

#include <string>

namespace sinew {

/// A word as a shell takes it: quoted where it needs to be.
inline std::string shell_word(const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;!#~") == std::string::npos;
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace sinew
