#include "sinew/core/utf8.hpp"

#include <array>

namespace sinew {
namespace {

/// Windows-1252 from 0x80 to 0x9f; its five undefined bytes become U+FFFD.
constexpr std::array<char16_t, 32> kWindows = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

unsigned char byte(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Number of bytes of the character at `at`, by RFC 3629: shortest form, no surrogates, at most
/// U+10FFFF. 0 if there is none.
size_t character_at(std::string_view text, size_t at) {
  const unsigned char first = byte(text, at);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k)
    if ((byte(text, at + k) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(text, at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : length;
}

/// Appends a character below U+10000.
void append(char16_t c, std::string& out) {
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

}  // namespace

std::string to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (const size_t length = character_at(text, at); length > 0) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    const unsigned char c = byte(text, at++);
    append(c < 0xA0 ? kWindows[c - 0x80u] : static_cast<char16_t>(c), out);
  }
  return out;
}

bool has_control_characters(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const unsigned char c = byte(text, at);
    if (c < ' ' || c == 0x7F) return true;
    if (c == 0xC2 && at + 1 < text.size() && byte(text, at + 1) < 0xA0) return true;
  }
  return false;
}

}  // namespace sinew
