#pragma once

#include "sinew/dynamics/workspace.hpp"

namespace sinew {

/// The mass matrix by composite rigid bodies, O(n · depth): writes M (n×n, symmetric) and
/// ws.composite. Needs update_inertias.
void mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, MatRef M);

/// The same with further inertias that ride on the links: one per link, world axes about its
/// origin.
void mass_matrix(const Skeleton& skeleton, const std::vector<SpatialInertia>& carried,
                 SkeletonWorkspace& ws, MatRef M);

}  // namespace sinew
