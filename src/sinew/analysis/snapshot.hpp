#pragma once

#include "sinew/analysis/drawing/muscle_drawing.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_state.hpp"

namespace sinew {

/// How much a snapshot holds. Each holds what those before it hold.
enum class SnapshotDetail {
  audit,     ///< energies, and how the paths fare that may be lost or jump
  tables,    ///< all coordinates, bodies, paths, Hill muscles
  pictures,  ///< drawings of muscles
};

/// A system at one moment, as audit, tables, reports and viewers show it: from one pass of
/// kinematics and one over the paths.
struct Snapshot {
  double t = 0;
  SnapshotDetail detail = SnapshotDetail::audit;
  Energy energy;
  /// Per muscle. For an audit: status, length and rate where they matter. Else all, tensions of
  /// Hill muscles included.
  std::vector<MusclePath> paths;
  VecX q, qdot;                          ///< of System::all_coordinates()
  std::vector<Pose> bodies;              ///< where they are in the world
  std::vector<HillValues<double>> hill;  ///< of System::hill_muscles(); empty without their state
  std::vector<MuscleDrawing> drawings;   ///< per muscle

  /// The first muscle without a path; −1: none.
  LostPath lost_path() const;
};

/// Overwrites `out`. Leaves the kinematics in ws.
void take_snapshot(const System& system, const At& at, SnapshotDetail detail, Workspace& ws,
                   Snapshot& out);

}  // namespace sinew
