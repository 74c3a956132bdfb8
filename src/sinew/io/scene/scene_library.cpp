#include "sinew/io/scene/scene_library.hpp"

#include "sinew/io/models/shipped_files.hpp"

namespace sinew {
namespace {

const ShippedFiles kScenes{"scene", "scenes"};

}  // namespace

std::filesystem::path scene_folder() { return kScenes.folder(); }
std::vector<std::string> scene_names() { return kScenes.names(); }
std::filesystem::path find_scene(const std::string& name_or_path) {
  return kScenes.find(name_or_path);
}

}  // namespace sinew
