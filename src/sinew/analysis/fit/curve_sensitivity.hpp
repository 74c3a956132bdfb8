#pragma once

#include <array>
#include <vector>

#include "sinew/model/joints/spline_joints.hpp"

/// How a spline curve changes as its control frames move, exactly. Frame C_j moves with the twist
/// u_j in its own axes, C_j ← C_j exp(u_j). The formulas of Lee and Terzopoulos 2008 (Eq 33, 34, 37
/// to 41) are first-order in the distance between frames; these are not
/// (docs/theory/joint_fitting.md).

namespace sinew {

/// The pose at one q. `dQ[i]` maps u of frame `frames[i]` to the twist of the pose, in its axes.
struct CurvePoseSensitivity {
  Pose Q;
  Vec6 S;  ///< twist for q̇ = 1
  std::array<int, 4> frames;
  std::array<Mat6, 4> dQ;
};

/// S and its derivative S′ = ∂S/∂q at one q, and their derivatives by the twists of the frames.
struct CurveRateSensitivity {
  Vec6 S, dSdq;
  std::array<int, 4> frames;
  std::array<Mat6, 4> dS, ddSdq;
};

class CurveSensitivity {
 public:
  /// The frames must be less than half a turn apart.
  CurveSensitivity(const std::vector<Pose>& frames, const CubicBSpline& spline);

  CurvePoseSensitivity pose(double q) const;
  CurveRateSensitivity rates(double q) const;

 private:
  /// From frame j − 1 to frame j, round the loop: dz = by_frame u_j − by_previous u_{j−1}.
  struct Step {
    Vec6 z;
    Mat6 by_frame, by_previous;
  };
  const Step& step(int j) const { return steps_[static_cast<size_t>(j) % steps_.size()]; }
  std::array<int, 4> indices(int first) const;
  /// Σ_i by_z[i] dz_{first+i+1} in terms of the four frames' twists.
  std::array<Mat6, 4> by_frames(int first, const std::array<Mat6, 3>& by_z) const;

  const std::vector<Pose>& frames_;
  const CubicBSpline& spline_;
  std::vector<Step> steps_;
};

}  // namespace sinew
