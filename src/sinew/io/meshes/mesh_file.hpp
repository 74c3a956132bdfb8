#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/model/triangle_mesh.hpp"

/// Files of polygons, in the file's units. Polygons become fans of triangles. Every reader throws
/// an Error with file and, if known, line; none trusts a count that the file states.
/// TriangleMesh::validate checks whether a surface is closed: drawn ones need not be.

namespace sinew {

/// Chooses the reader by the extension: .obj, .stl or .vtp, in upper or lower case. At most 256
/// MiB.
TriangleMesh read_mesh_file(const std::filesystem::path& path);
/// Whether the name has one of these extensions.
bool is_mesh_file(const std::filesystem::path& path);

/// STL, text or binary. Corners at the same place, to the last bit, become one vertex.
TriangleMesh parse_stl(std::string_view bytes, const std::string& source);

/// VTK's XML PolyData with ascii arrays: points, polygons and triangle strips. Lines, single
/// vertices, and data on points and cells are skipped.
TriangleMesh parse_vtp(std::string_view text, const std::string& source);

}  // namespace sinew
