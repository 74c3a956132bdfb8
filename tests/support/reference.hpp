#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinew/system/system.hpp"

/// Numbers of the public REDMAX implementation, read where they lie: they are not part of this
/// project.

namespace sinew::test {

/// The folder of reference data: $SINEW_REFERENCE_DIR, or ../shared/reference beside the sources.
/// Empty if absent.
std::optional<std::filesystem::path> reference_dir();

/// Skips the running test, with a message that says what to set, if the data is absent.
#define SINEW_NEEDS_REFERENCE()                                                           \
  if (!sinew::test::reference_dir())                                                      \
  GTEST_SKIP() << "reference data not found: set SINEW_REFERENCE_DIR to the folder with " \
                  "redmax/ and opensim/"

nlohmann::json reference_json(const std::string& file);

/// A scene of scenes_matlab.json or scenes_diff.json as a System, in the file's own units (cm, g,
/// s): bodies b1…, joints j1…, with springs and dampers, without constraints.
System reference_system(const nlohmann::json& scene);

/// The same with its equality constraints and the time functions of its prescribed motions.
System constrained_reference_system(const nlohmann::json& scene);

/// The scene with that id.
nlohmann::json reference_scene(const std::string& file, int id);

/// A table with named columns.
struct ReferenceTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  size_t column(const std::string& name) const;
};
ReferenceTable reference_csv(const std::string& file);

VecX to_vector(const nlohmann::json& j);
MatX to_matrix(const nlohmann::json& j);
Pose to_pose(const nlohmann::json& j);

}  // namespace sinew::test
