#pragma once

#include "sinew/io/osim/joints.hpp"

namespace sinew {

/// The skeleton that joints make of bodies, and what was left over.
struct OsimTree {
  std::vector<BodySpec> bodies;          ///< from the ground outwards
  std::vector<const OsimJoint*> joints;  ///< per body; null: a free joint that the file leaves out
  std::vector<const OsimJoint*> loops;   ///< joints whose both bodies were in the tree already
  std::vector<OsimElement> weightless;   ///< bodies that move, and neither weigh nor carry anything
};

/// Hangs every body on the ground: along joints as they are written, then against their direction;
/// a body that no joint moves is free. `warnings` are added to.
OsimTree build_osim_tree(const OsimFrames& frames, const std::vector<OsimJoint>& joints,
                         std::vector<std::string>& warnings);

}  // namespace sinew
