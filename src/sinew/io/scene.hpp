#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/integrate/simulate.hpp"
#include "sinew/model/shape.hpp"

/// Scenes as data: docs/scene_format.md says what a scene file holds.

namespace sinew {

struct Scene {
  std::string name;  ///< of the file, without its extension
  std::string title, description, citation;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes
  System system;
  SimulationSettings settings;  ///< as the scene asks for; the command line may say otherwise
  std::vector<std::vector<ShapePart>>
      shapes;  ///< per body: its geometry, with mass or to be drawn only
  std::vector<std::string> constraint_types;  ///< per constraint: as the file writes it
};

/// Reads and checks a scene file. `overrides` are "path=value" (see override.hpp), applied before
/// anything is checked. Throws an Error with file and line.
Scene load_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// The same from text; `source` stands for the file in messages, meshes are looked up in `folder`.
Scene parse_scene(std::string_view text, const std::string& source,
                  const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides = {});

/// The whole file, at most 16 MiB. Throws an Error where it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace sinew
