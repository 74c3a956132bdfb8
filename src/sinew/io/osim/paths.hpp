#pragma once

#include "sinew/io/osim/constraints.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"

namespace sinew {

/// The surfaces of a model by name, as paths refer to them.
using OsimSurfaces = std::map<std::string, std::shared_ptr<const PathSurface>>;

/// All surfaces of bodies and frames that can be read; `unsupported` counts the others.
OsimSurfaces read_osim_surfaces(const OsimScope& scope, std::map<std::string, int>& unsupported);

/// The parts of the model that a path needs.
struct OsimPathScope {
  const OsimScope& scope;
  const OsimSurfaces& surfaces;
  const std::vector<OsimCoordinate>& coordinates;  ///< in the skeleton's order
  std::map<std::string, int>& unsupported;         ///< counts methods of wrapping, too
};

/// The path of a force: its <GeometryPath>. Empty if it has another kind of path, whose type is
/// then in `other`.
std::optional<OpenSimPath> read_osim_path(const OsimElement& force, const OsimPathScope& scope,
                                          std::string& other);

}  // namespace sinew
