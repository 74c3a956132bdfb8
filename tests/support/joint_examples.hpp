#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sinew/model/joint.hpp"

namespace sinew::test {

/// One joint of some type, and coordinates at which its laws are worth checking.
struct JointExample {
  std::string name;  ///< letters, digits and underscores
  Joint joint;
  std::vector<VecX> regular;   ///< zero, tiny and random coordinates
  std::vector<VecX> singular;  ///< near or at delicate places of this type
  bool in_trees = true;        ///< false: of a type that random trees have enough of
};

/// For GoogleTest's messages.
inline void PrintTo(const JointExample& example, std::ostream* out) { *out << example.name; }

/// At least one example of every joint type, and of every variant of it that has its own code.
const std::vector<JointExample>& joint_examples();

}  // namespace sinew::test
