#pragma once

#include "sinew/builder/system_builder.hpp"
#include "support/random.hpp"

namespace sinew::test {

/// Placement and structure of a floating tree; everything else is the same for equal seeds.
struct FloatingTreeOptions {
  Pose E_WP;              ///< the frame in which the root's six coordinates count
  double mass_scale = 1;  ///< multiplies all inertias
};

/// A random tree whose root is free in space (q = position, then rotation vector) and whose other
/// joints are of every elementary type, with welded bodies among them. Regular at |q| ≤ 0.7.
Skeleton floating_tree(unsigned seed, int bodies, const FloatingTreeOptions& options = {});

/// Adds joint springs and torques (not at the root) and springs between bodies: forces that come in
/// pairs.
void add_internal_forces(SystemBuilder& builder, unsigned seed);

}  // namespace sinew::test
