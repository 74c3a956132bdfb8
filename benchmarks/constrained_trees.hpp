#pragma once

#include "tree_spec.hpp"

/// Models with constraints, and states that satisfy them.

namespace bench {

struct ConstrainedModel {
  TreeSpec tree;
  TreeSpec open;  ///< the same without the constraints
  std::vector<Sample> samples;
};

/// Crank 0.3 m, coupler 0.8 m, rocker 0.6 m, ground 0.9 m, in the plane z = 0: three revolute
/// joints in a chain, closed by a ball at the rocker's pivot. The crank can turn all the way round.
ConstrainedModel four_bar(int samples);

/// The joints of the full-body model of Rajagopal et al. 2016: 22 bodies, 39 coordinates, where
/// each patella's depends on the knee's.
ConstrainedModel gait(int samples);

}  // namespace bench
