#pragma once

#include <filesystem>
#include <string_view>

#include "sinew/core/error.hpp"

namespace sinew {

/// A disk that is full or broken: unlike other Errors no mistake of the user's.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// Throws that a file cannot be written, as `code` (errno) says: a WriteError if the disk is to
/// blame, another Error if the place is.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int code);

/// Writes a file that is never half there: an existing one stays until the new one is complete.
/// What is not a regular file, such as /dev/stdout, is written to. Throws an Error as
/// fail_to_write() if it cannot be written, and leaves nothing behind then.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sinew
