#pragma once

#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"

/// Where muscles run: lengths, moment arms, contact.

namespace sinew {

/// A muscle's path at one state.
struct MusclePath {
  double length = 0;   ///< [m]
  double rate = 0;     ///< [m/s]
  double tension = 0;  ///< [N]; of Hill muscles zero, unless a Snapshot has it
  double wrapped_angle =
      0;  ///< by which it turns around surfaces, all together [rad]; 0 by OpenSim's rules
  SpanStatus status = SpanStatus::free;  ///< the worst of its spans
  VecX moment_arms;         ///< −∂l/∂q of System::coordinates() [m, or 1 of lengths]
  std::vector<Vec3> nodes;  ///< path points, entries to and exits from surfaces; world [m]
};

/// Reads the path of a muscle from the scratch, where its MuscleElement was updated last.
void read_muscle_path(const System& system, size_t muscle, const SkeletonAt& in, Workspace& ws,
                      MusclePath& out);

/// All of System::muscles(), along the paths that they pull along. Runs update_kinematics.
void update_muscle_paths(const System& system, const At& at, Workspace& ws,
                         std::vector<MusclePath>& out);

/// One of them.
void update_muscle_path(const System& system, size_t muscle, const At& at, Workspace& ws,
                        MusclePath& out);

/// The first muscle whose path is lost at q: its status `failed`. −1 where all have one. Runs
/// update_kinematics.
struct LostPath {
  int muscle = -1;
  SpanStatus status = SpanStatus::free;
};
LostPath find_lost_path(const System& system, const At& at, Workspace& ws);

/// Names of muscles with a path point on or inside a surface that the path may wrap around there.
/// No path is taut from such a point: smooth wrapping runs below the surface, paths by OpenSim's
/// rules leave the surface out.
std::vector<std::string> muscles_inside_surfaces(const System& system, const State& state,
                                                 Workspace& ws);

}  // namespace sinew
