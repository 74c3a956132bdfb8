#pragma once

#include "sinew/math/se3.hpp"

namespace sinew {

/// exp(g φ) of one twist g = (ω; v) for any φ. What depends on g alone is worked out once: with
/// the axis a = ω/|ω| and the angle θ = |ω| φ,
///     R = 1 + sin θ [a] + (1 − cos θ) [a]²,
///     p = φ a aᵀv + sin θ (v − a aᵀv)/|ω| + (1 − cos θ) a × v/|ω|.
class Screw {
 public:
  explicit Screw(const Vec6& twist);

  const Vec6& twist() const { return twist_; }
  Pose at(double phi) const;

 private:
  Vec6 twist_;
  double rate_;  ///< |ω|
  Mat3 axis_, axis_twice_;
  Vec3 along_, across_, around_;
};

}  // namespace sinew
