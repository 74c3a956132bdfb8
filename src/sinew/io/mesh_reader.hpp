#pragma once

#include "sinew/io/object_reader.hpp"
#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// The mesh of an object with "file" and "scale" [m].
TriangleMesh read_mesh(const ObjectReader& in);

}  // namespace sinew
