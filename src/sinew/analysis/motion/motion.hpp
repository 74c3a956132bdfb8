#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

/// A measured or invented motion, instant by instant.
struct MotionSample {
  double t = 0;
  VecX q, qdot, qddot;  ///< in the order of System::coordinates()
};
using Motion = std::vector<MotionSample>;

/// The generalised forces that, together with those of the system, cause the motion, one column for
/// each sample. Constraints carry nothing: their forces are included.
MatX inverse_dynamics(const System& system, const Motion& motion);

}  // namespace sinew
