#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/models/muscle_mass.hpp"

/// Mass in muscles, in records of runs and studies.

namespace sinew {

nlohmann::ordered_json describe_options(const MuscleMassOptions& options);
/// The options that describe_options wrote; those of version 0.1's comparisons, too.
MuscleMassOptions recorded_mass_options(const nlohmann::ordered_json& record);

/// What was done: the rule, and for each muscle the mass that it was to get and has [kg].
nlohmann::ordered_json describe_placement(const MuscleMassRecord& record);

}  // namespace sinew
