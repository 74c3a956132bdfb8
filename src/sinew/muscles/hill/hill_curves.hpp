#pragma once

#include <memory>
#include <variant>

#include "sinew/math/dual.hpp"
#include "sinew/muscles/hill/bezier_curve.hpp"

/// The dimensionless curves of Hill muscles: active force–length f_l, passive force–length f_p,
/// force–velocity f_v, tendon force–length f_t. Lengths of the fibre are in optimal lengths, its
/// velocity in maximal contraction velocities (positive: lengthening), of the tendon in slack
/// lengths. See docs/theory/hill_muscles.md.

namespace sinew {

/// Thelen 2003, with the exact matching of the tendon's exponential and linear parts and straight
/// lines where the force–velocity relation has no finite value.
struct Thelen2003Curves {
  double tendon_strain = 0.04;   ///< at maximal isometric force
  double passive_strain = 0.6;   ///< fibre strain at maximal isometric force
  double active_shape = 0.45;    ///< width² of f_l
  double passive_shape = 5;      ///< exponent of f_p
  double velocity_shape = 0.25;  ///< A_f
  double eccentric_force = 1.4;  ///< f_v at fast lengthening
  double extrapolation = 0.95;   ///< share of eccentric_force above which f_v is straight
};

/// Millard et al. 2013: the parameters of the four Bézier curves. Negative: the published fit to
/// the other numbers of that curve.
struct Millard2012Shape {
  // active force–length
  double min_active_length = 0.4441, transition_length = 0.73, max_active_length = 1.8123;
  double shallow_slope = 0.8616, min_active_force = 0;
  // force–velocity
  double concentric_slope_at_vmax = 0, concentric_slope_near_vmax = 0.25, isometric_slope = 5;
  double eccentric_slope_at_vmax = 0, eccentric_slope_near_vmax = 0.15, eccentric_force = 1.4;
  double concentric_curviness = 0.6, eccentric_curviness = 0.9;
  // passive force–length
  double strain_at_zero_force = 0, strain_at_one_force = 0.7;
  double stiffness_at_low_force = -1, stiffness_at_one_force = -1, passive_curviness = -1;
  // tendon
  double tendon_strain = 0.049;
  double tendon_stiffness = -1, force_at_toe_end = -1, tendon_curviness = -1;
};

class Millard2012Curves {
 public:
  /// Throws an Error naming the curve whose numbers do not fit together.
  explicit Millard2012Curves(const Millard2012Shape& shape = {});
  const Millard2012Shape& shape() const { return shape_; }

  BezierCurve active, velocity, passive, tendon;

 private:
  Millard2012Shape shape_;
};

/// De Groote et al. 2016 with the coefficients that OpenSim uses.
struct DeGrooteFregly2016Curves {
  double active_width = 1;       ///< scales f_l about the optimal length
  double passive_strain = 0.6;   ///< fibre strain at maximal isometric force
  double tendon_strain = 0.049;  ///< at maximal isometric force
};

using HillCurves = std::variant<Thelen2003Curves, std::shared_ptr<const Millard2012Curves>,
                                DeGrooteFregly2016Curves>;

CurvePoint active_force_length(const HillCurves& curves, double l);
CurvePoint passive_force_length(const HillCurves& curves, double l);
CurvePoint tendon_force_length(const HillCurves& curves, double l);

/// The arguments of f_v: the fibre's velocity and, with Thelen's curves, the activation.
template <class T>
T force_velocity(const HillCurves& curves, const T& velocity, const T& activation);

/// The velocity at which f_v has the value given; f_v must be strictly increasing
/// (is_velocity_invertible).
template <class T>
T inverse_force_velocity(const HillCurves& curves, const T& force, const T& activation);
bool is_velocity_invertible(const HillCurves& curves);

/// Shortest active fibre, in optimal lengths: below it the fibre's length is held.
double min_active_length(const HillCurves& curves);

/// Throws an Error naming `element` for numbers that make no curve.
void check_curves(const HillCurves& curves, const std::string& element);

}  // namespace sinew
