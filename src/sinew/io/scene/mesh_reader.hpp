#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// The file that a key names: beside the scene or in a folder below it.
std::filesystem::path scene_file(const ObjectReader& in, std::string_view key);

/// The mesh of an object with "file" and "scale" [m].
TriangleMesh read_mesh(const ObjectReader& in);

}  // namespace sinew
