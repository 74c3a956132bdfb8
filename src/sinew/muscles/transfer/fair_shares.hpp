#pragma once

#include "sinew/model/skeleton.hpp"

namespace sinew {

/// What one muscle takes from one body: mass, first and second moments, body frame.
struct MassClaim {
  int muscle = 0;
  BodyIndex body;
  SpatialInertia taken;
};

/// Whether a body may be left with `after`: at least the part `keep` of its mass and of its
/// inertia about every axis through its centre of mass, and still the inertia of a real body.
bool may_keep(const SpatialInertia& before, const SpatialInertia& after, double keep);

/// The part of its claims that each muscle gets. All parts grow alike from 0 towards 1; when a body
/// can give no more, the muscles that claim something of it stop, and the others go on. So no
/// muscle could get more without a muscle that has no more than it getting less.
std::vector<double> fair_shares(const Skeleton& skeleton, const std::vector<MassClaim>& claims,
                                size_t muscles, double keep);

}  // namespace sinew
