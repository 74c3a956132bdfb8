#pragma once

#include <string>

namespace sinew {

/// Features of a system, or of a request, that not every integrator can step.
enum class Feature {
  constraints,
  contacts,  ///< also limits
  bearings,  ///< also friction of parts that holds
  massive_muscles,
  hill_muscles,
  soft_bodies,
  strands,
  dependent_coordinates,
  driven_coordinates,  ///< by time: their work needs accelerations
  steps_back,          ///< h < 0
};
inline constexpr Feature kFeatures[] = {Feature::constraints,
                                        Feature::contacts,
                                        Feature::bearings,
                                        Feature::massive_muscles,
                                        Feature::hill_muscles,
                                        Feature::soft_bodies,
                                        Feature::strands,
                                        Feature::dependent_coordinates,
                                        Feature::driven_coordinates,
                                        Feature::steps_back};

/// In words, for tables.
std::string to_string(Feature feature);
/// As one bit.
constexpr unsigned bit(Feature feature) { return 1u << static_cast<unsigned>(feature); }

}  // namespace sinew
