#pragma once

#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"

/// Where muscles run: lengths, moment arms, contact.

namespace sinew {

/// A muscle's path at one state.
struct MusclePath {
  double length = 0;                     ///< [m]
  double rate = 0;                       ///< [m/s]
  double tension = 0;                    ///< [N]
  double wrapped_angle = 0;              ///< by which it turns around surfaces, all together [rad]
  SpanStatus status = SpanStatus::free;  ///< the worst of its spans
  VecX moment_arms;         ///< −∂l/∂q of System::coordinates() [m, or 1 of lengths]
  std::vector<Vec3> nodes;  ///< path points, entries to and exits from surfaces; world [m]
};

/// All muscles at (t, q, q̇). Runs update_kinematics.
void update_muscle_paths(const System& system, double t, const ConstVecRef& q,
                         const ConstVecRef& qdot, Workspace& ws, std::vector<MusclePath>& out);

/// The first muscle whose path is lost at q: its status `failed`. −1 where all have one. Needs
/// update_kinematics.
struct LostPath {
  int muscle = -1;
  SpanStatus status = SpanStatus::free;
};
LostPath find_lost_path(const System& system, Workspace& ws);

}  // namespace sinew
