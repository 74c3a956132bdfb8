#pragma once

#include <string>
#include <vector>

#include "sinew/io/tables/motion_reader.hpp"

namespace sinew {

/// The inputs of a study of a motion: a model, a motion, and external loads.
struct MotionStudy {
  std::string model;   ///< .osim file or scene
  std::string motion;  ///< .mot or .sto
  std::string loads;   ///< ExternalLoads XML; empty: none
  MotionOptions smoothing;
  std::vector<std::string> set;  ///< changes of the model
};

}  // namespace sinew
