#include "sinew/io/scene/scene_library.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {

namespace fs = std::filesystem;

fs::path scene_folder() {
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  return (program.parent_path() / "../share/sinew/scenes").lexically_normal();
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(scene_folder(), code))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_scene(const std::string& name_or_path) {
  const fs::path path(name_or_path);
  std::error_code code;
  if (path.has_parent_path() || path.extension() == ".json") {
    if (!fs::is_regular_file(path, code))
      throw Error("scene file '" + name_or_path + "'", "does not exist", "check the path");
    return path;
  }
  const std::vector<std::string> names = scene_names();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end())
    throw Error("scene '" + name_or_path + "'", "does not exist", suggest(name_or_path, names));
  return scene_folder() / (name_or_path + ".json");
}

}  // namespace sinew
