#pragma once

#include <functional>
#include <set>

#include "sinew/integrate/simulate.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/model/shape.hpp"

namespace sinew {

/// What a viewer may change of a model: a system is built anew for every change of these.
struct ViewInputs {
  std::shared_ptr<const Force> pull;  ///< added to the model's forces; may be null
  bool mass_on_bones = false;
};

/// What is simulated: muscles with their mass, with the mass on the bones, or both side by side.
enum class MassView { muscles, bones, both };

/// A scene or a model to look at.
struct ViewSource {
  std::string name, title, description, citation;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;
  SimulationSettings settings;
  std::vector<std::vector<ShapePart>> shapes;  ///< per body
  std::vector<OsimMarker> markers;
  std::vector<OsimGeometry> geometry;  ///< of an OpenSim model
  /// Of coordinates with bounds, by name; either may be infinite [rad, m].
  std::map<std::string, std::pair<double, double>> ranges;
  std::set<std::string> locked;  ///< coordinates that cannot be moved
  std::optional<MassView> mass;  ///< looked at first; none where no muscle has mass
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< for whoever looks closer
  std::function<System(const ViewInputs&)> build;
};

/// `set` changes values of scenes. Throws an Error where the model cannot be read.
ViewSource load_view_source(const std::string& model, const std::vector<std::string>& set);

}  // namespace sinew
