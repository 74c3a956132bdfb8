#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/model/skeleton.hpp"
#include "sinew/strands/strand.hpp"

/// Forms of strands that scenes have keys of their own for: docs/theory/strands.md, §8.

namespace sinew {

/// A strand with its nodes: SystemBuilder::add.
struct DescribedStrand {
  std::vector<StrandNode> nodes;
  Strand strand;
};

/// The tension of a cable of length l with a rest length of L:
///     T = (k (l − L) + d l̇) / L.
/// k and d are those of the material: two metres of a cable stretch twice as far as one.
struct CableLaw {
  double stiffness = 0;    ///< k [N], force per strain
  double damping = 0;      ///< d [N s], force per strain rate
  double rest_length = 0;  ///< L [m]
  /// A cable pulls only: T = 0 if l ≤ L, and never below zero. Otherwise it also pushes.
  bool slack = true;
};

/// A massless elastic cable, straight from point to point of bodies, that runs without friction
/// through all points except its ends. Its nodes are "<name>_1", "<name>_2", … Throws an Error
/// naming the force.
DescribedStrand make_cable(const std::string& name, const std::vector<RigidNode>& points,
                           const CableLaw& law);

/// A soft body of vertices in a row, with equal masses at equal distances. The springs between them
/// have the energy ½ K ε² and the tension (K ε + d ε̇)/L, with ε = (l − L)/L, and L their length at
/// the start (Wang 2022 Eqs. 4.88–4.89). The first and the last vertex ride on bodies, which carry
/// their mass.
struct Chain {
  std::string name;
  std::array<RigidNode, 2> ends;
  std::array<Vec3, 2> start;  ///< where these are at the start, world [m]
  int vertices = 2;
  double mass = 0;       ///< of all vertices [kg]
  double stiffness = 0;  ///< K [J]
  double damping = 0;    ///< d [J s]
};

/// Its nodes are "<name>_1", "<name>_2", … Throws an Error naming the soft body.
DescribedStrand make_chain(const Chain& chain);

/// The skeleton whose bodies carry the beads of nodes on them.
Skeleton with_bead(const Skeleton& skeleton, const RigidNode& node);

}  // namespace sinew
