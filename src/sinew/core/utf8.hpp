#pragma once

#include <string>
#include <string_view>

namespace sinew {

/// The text in UTF-8: bytes that are none of it are taken for Windows-1252, of which ISO-8859-1 is
/// a part, as old files have them. What is UTF-8 already stays as it is.
std::string to_utf8(std::string_view text);

/// Whether it has characters that move a cursor or ring a bell instead of being shown: tabs, ends
/// of lines, escapes (U+0000 to U+001F, U+007F to U+009F). The text is UTF-8.
bool has_control_characters(std::string_view text);

}  // namespace sinew
