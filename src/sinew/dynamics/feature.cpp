#include "sinew/dynamics/feature.hpp"

namespace sinew {

std::string to_string(Feature feature) {
  switch (feature) {
    case Feature::constraints:
      return "constraints";
    case Feature::contacts:
      return "limits, contacts";
    case Feature::bearings:
      return "bearings";
    case Feature::massive_muscles:
      return "muscles with mass";
    case Feature::hill_muscles:
      return "Hill muscles";
    case Feature::soft_bodies:
      return "soft bodies";
    case Feature::strands:
      return "strands";
    case Feature::dependent_coordinates:
      return "dependent coordinates";
    case Feature::driven_coordinates:
      return "coordinates driven by time";
    case Feature::steps_back:
      return "steps back in time";
  }
  return "";
}

}  // namespace sinew
