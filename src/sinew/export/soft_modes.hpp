#pragma once

#include "sinew/math/types.hpp"

namespace sinew {

/// A motion of many points as a few shapes with weights: x(f) ≈ x(0) + Σ modes(:, k) weights(k, f).
/// The shapes are displacements that do occur, scaled so that no weight is beyond ±1.
struct SoftModes {
  MatX modes;        ///< coordinates × modes
  MatX weights;      ///< modes × frames
  double error = 0;  ///< the largest distance of a point from where it is [m]
};

/// `x` has one column per frame, three coordinates per point. Takes as many modes as it needs to
/// have every point within `tolerance` [m], `most` at most: each is what the frame with the largest
/// error still lacks, made orthogonal to those before it.
SoftModes soft_modes(const MatX& x, double tolerance, int most);

}  // namespace sinew
