#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// The folder of the scenes that come with the program: share/sinew/scenes beside its folder.
std::filesystem::path scene_folder();

/// Their names, sorted.
std::vector<std::string> scene_names();

/// The file of a scene given by name or by path: a path has a '/' or ends in .json. Throws an Error
/// with the nearest name.
std::filesystem::path find_scene(const std::string& name_or_path);

}  // namespace sinew
