#pragma once

#include <filesystem>
#include <string_view>

namespace sinew {

/// Writes a file that is never half there: an existing one stays until the new one is complete.
/// Throws an Error if it cannot be written, and leaves nothing behind then.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sinew
