#pragma once

#include "sinew/muscles/hill/hill.hpp"

namespace sinew {

/// How the search for a fibre length ended.
enum class HillStatus {
  equilibrated,    ///< fibre and tendon carry the same force
  at_rest,         ///< so they do, but with a fibre at rest: with a moving one they cannot
  clamped,         ///< the fibre is at its least length, where it carries no force
  no_equilibrium,  ///< the input is not finite
};

struct HillEquilibrium {
  HillStatus status = HillStatus::no_equilibrium;
  double fibre_length = 0;  ///< [m]; not a number without equilibrium
  double error = 0;         ///< force of the fibre along the tendon less the tendon's, over F₀
};

/// Fibre length at which fibre and tendon are in equilibrium at path length L. Of muscles with
/// curves of Millard or De Groote the fibre is at rest; of Thelen's it moves with its share of the
/// path's rate, the stiffnesses of fibre and tendon deciding how much (H10). These are OpenSim's
/// choices. The fibre of a rigid tendon has the length that is left for it.
HillEquilibrium equilibrate(const HillMuscle& muscle, double activation, double length,
                            double rate);

}  // namespace sinew
