#pragma once

#include "sinew/system/system.hpp"
#include "support/random.hpp"

namespace sinew::test {

/// A random tree that mixes all joint types of joint_examples(): depth ≤ 12, mass ratios ≤ 100,
/// with welded bodies among them. Bodies are added in an order in which children may precede
/// parents.
SkeletonBuilder random_tree(unsigned seed, int bodies);

/// Random coordinates |q| ≤ 0.7 away from chart singularities (where the columns of some S become
/// dependent), and speeds.
struct RandomState {
  VecX q, qdot;
};
RandomState random_state(const Skeleton& skeleton, unsigned seed);

/// One force of every kind, spread over the bodies.
System with_random_forces(Skeleton skeleton, unsigned seed);

}  // namespace sinew::test
