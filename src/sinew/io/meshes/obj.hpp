#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// Reads the polygons of a Wavefront .obj file, in the file's units: `v`, and `f` in all its forms
/// (v, v/vt, v//vn, v/vt/vn, negative indices, polygons, which become fans of triangles). Texture
/// coordinates, normals, groups, materials, lines and points are skipped. Anything else is an Error
/// with file and line. TriangleMesh::validate checks whether the surface is closed.
TriangleMesh read_obj(const std::filesystem::path& path);
/// The same from text; `source` stands for the file in messages.
TriangleMesh parse_obj(std::string_view text, const std::string& source);

}  // namespace sinew
