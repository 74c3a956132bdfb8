#pragma once

#include <map>

#include "sinew/io/osim/frames.hpp"
#include "sinew/io/osim/osim_geometry.hpp"

namespace sinew {

/// Everything that is drawn: <attached_geometry> of 4.x, <VisibleObject> of 3.x. Other kinds are
/// counted in `unsupported`; shapes on missing frames cause a warning.
std::vector<OsimGeometry> read_osim_geometry(const OsimFrames& frames,
                                             std::vector<std::string>& warnings,
                                             std::map<std::string, int>& unsupported);

/// The <ContactGeometrySet>; other kinds are counted in `unsupported`.
std::vector<OsimContactGeometry> read_osim_contact_geometry(
    const OsimFrames& frames, std::map<std::string, int>& unsupported);

/// Looks for the mesh `file` of a model: under its full name, beside the model and in its folder
/// Geometry; then under its last part, there and in `folders`. Empty if it is not found.
std::filesystem::path find_osim_mesh(const std::string& file, const std::filesystem::path& model,
                                     const std::vector<std::filesystem::path>& folders);

/// The folders of the environment variable SINEW_GEOMETRY_PATH, separated by colons.
std::vector<std::filesystem::path> geometry_path_of_environment();

}  // namespace sinew
