#pragma once

#include <string>
#include <string_view>

namespace sinew {

/// The text in UTF-8: invalid bytes are read as Windows-1252, which includes ISO-8859-1, because
/// old files use it. Valid UTF-8 stays unchanged.
std::string to_utf8(std::string_view text);

/// Whether the text has characters that move a cursor or ring a bell instead of being shown: tabs,
/// ends of lines, escapes (U+0000 to U+001F, U+007F to U+009F). The text must be UTF-8.
bool has_control_characters(std::string_view text);

}  // namespace sinew
