#pragma once

#include "sinew/io/osim/osim_model.hpp"

namespace sinew {

/// An OpenSim model in poses within its range: the default one and others halfway from it to random
/// places of the coordinates' ranges, always the same. Speeds are within ±1 rad/s, ±0.1 m/s;
/// constraints are satisfied, and fibres are in equilibrium.
std::vector<State> sample_states(const OsimModel& model);

std::vector<VecX> poses_of(const std::vector<State>& states);

}  // namespace sinew
