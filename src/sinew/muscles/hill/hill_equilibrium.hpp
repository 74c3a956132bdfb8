#pragma once

#include "sinew/dynamics/part.hpp"
#include "sinew/muscles/hill/hill.hpp"

namespace sinew {

/// The outcome of the search for a fibre length.
enum class HillStatus {
  equilibrated,    ///< fibre and tendon carry the same force
  at_rest,         ///< the same, but only with a fibre at rest, not with a moving one
  clamped,         ///< the fibre is at its least length, where it carries no force
  no_equilibrium,  ///< the input is not finite
};

struct HillEquilibrium {
  HillStatus status = HillStatus::no_equilibrium;
  double fibre_length = 0;  ///< [m]; NaN without equilibrium
  double error = 0;         ///< force of the fibre along the tendon less the tendon's, over F₀
};

/// Fibre length at which fibre and tendon are in equilibrium at path length L. In muscles with
/// curves of Millard or De Groote the fibre is at rest; in Thelen's it moves with its share of the
/// path's rate, which depends on the stiffnesses of fibre and tendon (H10). These are OpenSim's
/// choices. The fibre of a rigid tendon has the remaining length.
HillEquilibrium equilibrate(const HillMuscle& muscle, double activation, double length, double rate,
                            Settling how = Settling::as_opensim);

}  // namespace sinew
