#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/deformables/tet_mesh.hpp"

/// Files of tetrahedra, in the file's units. Elements of other kinds (points, lines, triangles) are
/// skipped, and so are vertices that no tetrahedron has; quadratic tetrahedra are refused. Every
/// reader throws an Error with file and line; none trusts a count that the file states. The mesh is
/// checked (TetMesh::validate); vertices and tetrahedra are then counted in the order of the file.

namespace sinew {

/// Chooses the reader by the extension: .msh or .vtk. At most 256 MiB.
TetMesh read_tet_file(const std::filesystem::path& path);

/// Gmsh's format, versions 2.2 and 4.1, text.
TetMesh parse_msh(std::string_view text, const std::string& source);

/// VTK's legacy format, unstructured grids as text, with cells as they were before version 5 and
/// since.
TetMesh parse_vtk(std::string_view text, const std::string& source);

}  // namespace sinew
