#pragma once

#include "sinew/analysis/muscle_paths.hpp"

namespace sinew {

/// A discontinuity of the length of a muscle's path: the path changes sides of a surface, jumps off
/// it, or gains or loses a point. Only paths by OpenSim's rules do that.
struct PathJump {
  int muscle = -1;    ///< number of the muscle; −1: none
  double change = 0;  ///< of its length [m]
};

/// Follows these paths from one state of a run to the next.
class PathWatch {
 public:
  /// Jumps up to this belong to a model: OpenSim's paths around cylinders are wrong by up to
  /// 0.5 mm, and its conditional points are placed by hand [m].
  static constexpr double kTolerance = 2e-3;

  explicit PathWatch(const System& system);

  /// The largest jump between the state of the last call and this one; none in the first call.
  /// `paths` are those of all muscles, with their lengths and rates.
  PathJump advance(const At& at, const std::vector<MusclePath>& paths, Workspace& ws);

 private:
  struct Followed {
    int muscle;
    double length = 0, rate = 0;
  };

  const System& system_;
  std::vector<Followed> followed_;
  bool begun_ = false;
  double t_ = 0;
  VecX q_, still_;
};

/// The largest jump of 0.1 mm or more on the straight way from q to q + h q̇, otherwise within
/// 0.005 [rad or m] of one of the coordinates: a step across it may have no solution, nor may rest
/// beside it.
PathJump find_path_jump(const System& system, const State& state, double h, Workspace& ws);

/// "the path of muscle 'gasmed_r' jumps by +26 mm".
std::string describe(const System& system, const PathJump& jump);

}  // namespace sinew
