#pragma once

#include "sinew/muscles/hill/hill.hpp"

namespace sinew {

/// Tension of a muscle on the skeleton.
struct HillTension {
  double tension = 0;   ///< [N]
  double d_length = 0;  ///< by the path's length [N/m]
  double d_rate = 0;    ///< by the path's rate [N s/m]; zero for elastic tendons
  double fibre_length = 0;
};

/// Evaluates at a fibre length that is known (elastic tendon) or follows (rigid).
HillTension held_tension(const HillMuscle& muscle, double activation, double length, double rate,
                         double fibre_length);

/// At the end of an implicit stage l = c + γ l̇, as a function of the path's length there: (H11) and
/// (H12). γ > 0 [s].
HillTension implicit_tension(const HillMuscle& muscle, double activation, double length,
                             double rate, double c, double gamma);

/// Derivatives of implicit_tension's results by what it does not differentiate by itself.
/// `solution` is what it returned.
struct HillStageSlopes {
  double tension_by_activation = 0, tension_by_start = 0;  ///< start: c
  double fibre_by_activation = 0, fibre_by_start = 0, fibre_by_length = 0;
};
HillStageSlopes differentiate_stage(const HillMuscle& muscle, double activation, double length,
                                    double rate, double c, double gamma,
                                    const HillTension& solution);

}  // namespace sinew
