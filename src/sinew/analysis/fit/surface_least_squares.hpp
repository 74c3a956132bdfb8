#pragma once

#include <array>
#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/model/joints/spline_joints.hpp"

/// The control values of a spline surface of given ranges that come closest to measured poses:
/// Gauss–Newton in the metric, damped where a step would not help. fit_surface (surface_fit.hpp)
/// makes the choices that are given here. Derivation in docs/theory/joint_fitting.md.

namespace sinew {

/// Minimises
///     Σ_k d²(E_PJ Q(q_k) E_JB, G_k) + λ N ∫∫ |f_uu|² + 2 |f_uv|² + |f_vv|² du dv
/// over the six grids of control values, f the six functions of the surface with rotations as
/// lengths, u and v the coordinates from 0 to 1; if the q_k are to be found, also over them.
struct SurfaceProblem {
  const std::vector<Pose>& poses;  ///< G_k; they must outlive the problem
  PoseMetric metric;
  Pose E_PJ, E_JB;
  std::array<CubicBSpline, 2> splines;  ///< of q₁ and q₂
  double smoothing = 0;                 ///< λ; it has no unit
  bool find_q = false;                  ///< q_k move to the nearest points of the surface
  int iterations = 100;
};

/// A surface on its way.
struct SurfaceEstimate {
  std::array<MatX, 6> grids;  ///< as SplineSurface has them
  MatX q;                     ///< 2 × N
};

/// The problem's linear model at an estimate. The unknown of grid k at row i and column j of n has
/// the index 6 (n i + j) + k.
struct SurfaceNormalEquations {
  double value = 0;  ///< of the sum above
  MatX matrix;       ///< JᵀJ and what smoothing adds, q eliminated
  VecX gradient;     ///< half the gradient of the value
  MatX q_gradient;   ///< the same by the q_k; zero where they are given
  VecX distances;    ///< d of each pose [m]
};
SurfaceNormalEquations surface_equations(const SurfaceProblem& problem, const SurfaceEstimate& at);

/// The surface whose functions come closest to those of the poses, one by one: linear, and a start
/// for the fit in the metric. Away from the poses it is as flat as it can be.
SurfaceEstimate surface_start(const SurfaceProblem& problem, const MatX& q);

struct SurfaceSolution {
  SurfaceEstimate estimate;
  VecX distances;
  int iterations = 0;
  std::vector<double> steps;  ///< largest movement of a control value in each of them [m]
  bool converged = false;
};
/// Throws an Error that names the control value that poses do not determine.
SurfaceSolution solve_surface(const SurfaceProblem& problem, SurfaceEstimate start);

/// The functions of the surface that make a pose: translations, then rotations about x, y and z.
Vec6 surface_coordinates(const Pose& Q);

}  // namespace sinew
