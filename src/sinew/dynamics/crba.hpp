#pragma once

#include "sinew/dynamics/workspace.hpp"

namespace sinew {

/// The mass matrix by composite rigid bodies, O(n · depth): writes M (n×n, symmetric) and
/// ws.composite. Needs update_inertias.
void mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, MatX& M);

/// The same added to M, with further inertias that ride on the links: one per link, world axes
/// about its origin.
void add_mass_matrix(const Skeleton& skeleton, const std::vector<SpatialInertia>& carried,
                     SkeletonWorkspace& ws, MatX& M);

}  // namespace sinew
