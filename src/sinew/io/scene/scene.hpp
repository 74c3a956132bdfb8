#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/integrate/simulate.hpp"
#include "sinew/model/shape.hpp"

/// Scenes as data: docs/scene_format.md describes scene files.

namespace sinew {

struct ModelBeforeTransfer;
struct MuscleMassRecord;
struct SystemEdit;

struct Scene {
  std::string name;  ///< name of the file, without its extension
  std::string title, description, citation;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes
  System system;
  SimulationSettings settings;  ///< from the scene; the command line may override them
  std::vector<std::vector<ShapePart>>
      shapes;  ///< per body: its geometry, with mass or only for drawing
  std::vector<std::vector<ShapePart>> drawn;  ///< per body: its look, or its shapes without one
  std::vector<ShapePart> fixed;               ///< look of the world
  std::vector<std::string> constraint_types;  ///< per constraint: type in the file
  /// A muscle's mass in the file; in the system it is zero if it is lumped.
  struct MuscleMass {
    double mass = 0;    ///< [kg]
    std::string model;  ///< "continuous", "points", "lumped" or "massless"
  };
  std::vector<MuscleMass> muscle_masses;  ///< per muscle
  /// The mass that bodies gave to muscles.
  struct MassMoved {
    std::string body, muscle;
    double mass = 0;   ///< [kg]
    double share = 0;  ///< share of the mass that the body had
  };
  std::vector<MassMoved> mass_moves;
  std::shared_ptr<const ModelBeforeTransfer>
      mass_origin;  ///< null unless bodies gave mass to muscles
  /// What the scene's rule for masses did; null without one.
  std::shared_ptr<const MuscleMassRecord> muscle_mass;
  /// Lower and upper end of coordinates with stops or limits, by name; infinite if there is none.
  std::map<std::string, std::pair<double, double>> coordinate_ranges;
};

/// Reads and checks a scene file. `overrides` are "path=value" (see override.hpp), applied before
/// anything is checked. Throws an Error with file and line.
Scene load_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// The same from text; `source` stands for the file in messages; meshes are looked up in `folder`.
Scene parse_scene(std::string_view text, const std::string& source,
                  const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides = {});

/// The same with a change made.
Scene parse_changed_scene(std::string_view text, const std::string& source,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& overrides, const SystemEdit& change);

inline constexpr std::uintmax_t kLargestScene = 16u << 20;  ///< bytes of a file

/// The whole file, of at most `largest` bytes. Throws an Error where it cannot be read.
inline constexpr std::uintmax_t kLargestTextFile = std::uintmax_t(2) << 30;
std::string read_text_file(const std::filesystem::path& path,
                           std::uintmax_t largest = kLargestTextFile);

}  // namespace sinew
