#pragma once

#include "sinew/builder/system_builder.hpp"
#include "support/random.hpp"

namespace sinew::test {

struct ConstraintExample {
  std::string name;
  std::shared_ptr<const Constraint> constraint;
};

/// One constraint of every kind, on random bodies and coordinates of a skeleton of at least two
/// links; the planar forms of closures among them. They need not hold.
std::vector<ConstraintExample> constraint_examples(const Skeleton& skeleton, Random& random);

/// The bodies of a skeleton with other default coordinates and rates, to be built again.
SkeletonBuilder with_defaults(const Skeleton& skeleton, const VecX& q, const VecX& qdot);

/// A small random system with one to three constraints of random kinds that hold at its default
/// state. One in ten is degenerate instead: constraints doubled, contradicting each other, out of
/// reach, more than there are coordinates, acting on nothing. Building it may throw an Error.
SystemBuilder random_constrained_system(unsigned seed);

}  // namespace sinew::test
