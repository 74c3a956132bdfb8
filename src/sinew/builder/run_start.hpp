#pragma once

#include <map>
#include <optional>
#include <string>

#include "sinew/math/time_function.hpp"

namespace sinew {

/// What drives a system and where it starts, by name, in place of what its elements say.
struct RunStart {
  std::optional<TimeFunction> excitation;        ///< of Hill muscles that are not named
  std::map<std::string, TimeFunction> controls;  ///< of System::controls()
  std::map<std::string, double> values, speeds;  ///< of coordinates [rad, m], [rad/s, m/s]
  std::map<std::string, double> activations, fibre_lengths;  ///< of Hill muscles [–, m]
};

}  // namespace sinew
