#pragma once

#include <mujoco/mujoco.h>

#include "tree_spec.hpp"

namespace bench {

/// A tree in MuJoCo's format. Revolute joints have the names of their bodies.
std::string mjcf(const TreeSpec& tree);
/// Throws where it cannot be read.
mjModel* load_mujoco(const std::string& xml);

}  // namespace bench
