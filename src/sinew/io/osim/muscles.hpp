#pragma once

#include <map>

#include "sinew/io/osim/document.hpp"
#include "sinew/io/osim/osim_model.hpp"

namespace sinew {

/// Whether an element of a <ForceSet> is a muscle of any kind.
bool is_osim_muscle(const std::string& type);

/// The force law in the element of a muscle: Thelen2003Muscle, Millard2012EquilibriumMuscle,
/// DeGrooteFregly2016Muscle. None for other muscles, whose forces are not known. Missing properties
/// have the values of OpenSim 4.5's classes. Fibres start in equilibrium, as they do in OpenSim's
/// tools, regardless of <default_fiber_length>. Throws an Error with file, line and property; adds
/// a warning for each property without effect.
std::optional<HillDescription> read_osim_muscle(const OsimElement& in,
                                                std::vector<std::string>& warnings);

/// <min_control> and <max_control>.
ControlRange read_control_range(const OsimElement& in, ControlRange otherwise = {});

/// All finite numbers among the properties of an element, by their names; true is 1, false 0.
std::map<std::string, double> numbers_of(const OsimElement& in);

}  // namespace sinew
