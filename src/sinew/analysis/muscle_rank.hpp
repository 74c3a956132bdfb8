#pragma once

#include <cstdint>

#include "sinew/system/equations.hpp"

/// Ranks muscles by the effect of their inertia (docs/theory/muscle_ranking.md).

namespace sinew {

/// Over the poses of a sample: λ, the largest eigenvalue of ΔM v = λ M_bones v. By 1 + λ a muscle
/// multiplies the kinetic energy of the motion in which it matters most.
struct MuscleRank {
  int muscle = 0;      ///< index into System::muscles()
  double largest = 0;  ///< largest λ over all poses
  double mean = 0;     ///< of λ
  VecX pose;           ///< System::coordinates() of the largest λ
  int poses = 0;       ///< number of poses in which it has a path; only these count
};

struct PoseRange {
  VecX lower, upper;  ///< ranges of System::coordinates()
};

/// Poses drawn evenly from `range`; the same seed gives the same ones on every machine.
std::vector<VecX> draw_poses(const PoseRange& range, int samples, std::uint64_t seed);

/// All muscles, the one with the largest λ first.
std::vector<MuscleRank> rank_muscles(const System& system, const std::vector<VecX>& poses);

}  // namespace sinew
