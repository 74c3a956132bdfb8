#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Every reader of the library and of the program, as one function each of the bytes that somebody
/// may hand to it. The fuzzers, with coverage or without, and the test of their corpora feed these.

namespace sinew::fuzz {

struct Reader {
  const char* name;  ///< name of its folder in the corpus
  /// Reads the bytes and uses what comes of them. Throws an Error where they are refused; whatever
  /// else it throws is a defect.
  void (*read)(std::string_view bytes);
};

const std::vector<Reader>& readers();
/// Throws an Error if there is none with that name.
const Reader& reader_of(std::string_view name);

/// Whether the reader accepts the bytes; where it refuses them, the message is of bearable length.
/// Throws what it throws but Errors, and a std::runtime_error for such a message.
bool survives(const Reader& reader, std::string_view bytes);

/// The folder of files that scenes name.
std::filesystem::path mesh_folder();
/// The reader's files, in the order of their names.
std::vector<std::filesystem::path> corpus_files(const Reader& reader);

}  // namespace sinew::fuzz
