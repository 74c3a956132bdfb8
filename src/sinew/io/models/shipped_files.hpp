#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// A kind of JSON file that comes with the program.
struct ShippedFiles {
  std::string word;         ///< "scene", in messages
  std::string folder_name;  ///< "scenes": share/sinew/scenes beside the program's folder
  std::filesystem::path folder() const;
  std::vector<std::string> names() const;  ///< sorted
  /// The file given by name or by path: a path has a '/' or ends in .json. Throws an Error with the
  /// nearest name.
  std::filesystem::path find(const std::string& name_or_path) const;
};

}  // namespace sinew
