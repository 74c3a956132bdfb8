#pragma once

#include <map>
#include <string>

#include "sinew/muscles/hill/hill.hpp"

namespace sinew::test {

/// The Hill muscles of a reference model ("opensim/models/<model>.osim"), by name, as the reader of
/// models has them.
std::map<std::string, HillMuscle> reference_hill_muscles(const std::string& model);

}  // namespace sinew::test
