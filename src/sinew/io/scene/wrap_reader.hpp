#pragma once

#include <map>
#include <tuple>

#include "sinew/io/json/object_reader.hpp"
#include "sinew/muscles/wrap/wrap.hpp"

namespace sinew {

/// The words of "model" and "wrap_model".
enum class WrapModelName { exact, smooth, neural };
const std::vector<std::string>& wrap_model_names();

/// Data that a scene's surfaces have already read from files: made once, used by many muscles.
struct WrapFiles {
  std::map<std::string, std::shared_ptr<const WrapNetwork>> networks;  ///< by name
  /// Keyed by file, scale and size.
  std::map<std::tuple<std::string, double, double>, std::shared_ptr<const LevelFunction>> meshes;
};

/// Defaults of wrap surfaces.
struct WrapDefaults {
  WrapModelName model = WrapModelName::smooth;
  double band = kDefaultBand;  ///< [rad]
  std::string network;         ///< for neural models; empty: the type's default
  WrapFiles* files = nullptr;
};

/// The object "around" of a path, a surface in its own frame.
Wrap read_wrap(const ObjectReader& owner, const JsonNode& node, const WrapDefaults& defaults);

/// Its name in scene files; "straight" for none.
std::string name_of(const Wrap& wrap);

}  // namespace sinew
