#pragma once

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

/// A coarser mesh for pictures: vertices in the same cell of a grid become one, in their middle,
/// and triangles that this flattens are removed. The grid is the finest of a few that leave at most
/// `most` triangles, at least 12. No vertex moves by more than the diagonal of a cell. A mesh that
/// is small enough stays unchanged. The result need not be closed.
TriangleMesh thinned(const TriangleMesh& mesh, size_t most);

}  // namespace sinew
