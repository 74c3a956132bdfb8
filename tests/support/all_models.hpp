#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::test {

/// The project's scenes, and OpenSim models: its own, and those of the reference data where that is
/// there. In the order of their names.
std::vector<std::filesystem::path> all_scenes();
std::vector<std::filesystem::path> all_models();
/// Both.
std::vector<std::filesystem::path> all_scenes_and_models();

/// A file's name as the name of a test may be: letters, digits and underscores.
std::string test_name(const std::filesystem::path& file);

}  // namespace sinew::test
