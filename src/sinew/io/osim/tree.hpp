#pragma once

#include "sinew/io/osim/joints.hpp"

namespace sinew {

/// The skeleton that joints make of bodies, and the remaining joints and bodies.
struct OsimTree {
  std::vector<BodySpec> bodies;          ///< from the ground outwards
  std::vector<const OsimJoint*> joints;  ///< per body; null: a free joint missing in the file
  std::vector<const OsimJoint*> loops;   ///< joints whose bodies were both already in the tree
  std::vector<OsimElement> weightless;   ///< bodies that move without mass and carry none
};

/// Attaches every body to the ground: along joints as they are written, then against their
/// direction; a body that no joint moves is free. Adds to `warnings`.
OsimTree build_osim_tree(const OsimFrames& frames, const std::vector<OsimJoint>& joints,
                         std::vector<std::string>& warnings);

}  // namespace sinew
