#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

/// A motion that was measured or made up, instant by instant.
struct MotionSample {
  double t = 0;
  VecX q, qdot, qddot;  ///< of System::coordinates()
};
using Motion = std::vector<MotionSample>;

/// The generalised forces that bring the motion about beside those of the system, one column for
/// each sample. Constraints do not carry anything: what they would is among them.
MatX inverse_dynamics(const System& system, const Motion& motion);

}  // namespace sinew
