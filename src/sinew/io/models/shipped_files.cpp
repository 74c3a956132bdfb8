#include "sinew/io/models/shipped_files.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {

namespace fs = std::filesystem;

fs::path ShippedFiles::folder() const {
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  return (program.parent_path() / "../share/sinew" / folder_name).lexically_normal();
}

std::vector<std::string> ShippedFiles::names() const {
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder(), code))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path ShippedFiles::find(const std::string& name_or_path) const {
  const fs::path path(name_or_path);
  std::error_code code;
  if (path.has_parent_path() || path.extension() == ".json") {
    if (!fs::is_regular_file(path, code))
      throw Error(word + " file '" + name_or_path + "'", "does not exist", "check the path");
    return path;
  }
  const std::vector<std::string> known = names();
  if (std::find(known.begin(), known.end(), name_or_path) == known.end())
    throw Error(word + " '" + name_or_path + "'", "does not exist", suggest(name_or_path, known));
  return folder() / (name_or_path + ".json");
}

}  // namespace sinew
