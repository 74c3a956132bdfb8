#include "sinew/muscles/hill/hill_curves.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sinew/core/error.hpp"

namespace sinew {

using std::exp;

namespace {

using Millard = std::shared_ptr<const Millard2012Curves>;
using DualFour = Dual<double, 4>;
using DualOne = Dual<double, 1>;

/// f(x) with the derivatives of f at the value of x.
double chained(double, const CurvePoint& p) { return p.y; }
template <class T, int N>
Dual<T, N> chained(const Dual<T, N>& x, const CurvePoint& p) {
  return detail::chain(x, p.y, p.dy, 0);
}

// ---- Millard et al. 2013

/// The slopes at ± v_max meet those at 0.9 v_max halfway between.
BezierCurve velocity_curve(const Millard2012Shape& s) {
  const double half = 0.05;
  return BezierCurve(
      "ForceVelocityCurve",
      {{-1, 0, s.concentric_slope_at_vmax},
       {-0.9, half * (s.concentric_slope_near_vmax + s.concentric_slope_at_vmax),
        s.concentric_slope_near_vmax},
       {0, 1, s.isometric_slope},
       {0.9, s.eccentric_force - half * (s.eccentric_slope_near_vmax + s.eccentric_slope_at_vmax),
        s.eccentric_slope_near_vmax},
       {1, s.eccentric_force, s.eccentric_slope_at_vmax}},
      {s.concentric_curviness, s.concentric_curviness, s.eccentric_curviness,
       s.eccentric_curviness});
}

/// Steep limb up to the transition, shallow slope from there to the plateau, ± 0.05 about the
/// optimal length; then the descending limb.
BezierCurve active_curve(const Millard2012Shape& s) {
  const double optimum = 1, plateau = 0.05;
  const double x0 = s.min_active_length, x1 = s.transition_length, x3 = s.max_active_length;
  const double y1 = 1 - s.shallow_slope * (optimum - plateau - x1);
  const double descending = -1 / ((x3 - plateau) - (optimum + plateau));
  return BezierCurve("ActiveForceLengthCurve",
                     {{x0, s.min_active_force, 0},
                      {0.5 * (x0 + x1), 0.5 * y1, 1.25 * y1 / (x1 - x0)},
                      {0.5 * (x1 + optimum - plateau), 0.5 * (y1 + 1), s.shallow_slope},
                      {optimum, 1, 0},
                      {0.5 * (optimum + plateau + x3), 0.5, descending},
                      {x3, s.min_active_force, 0}},
                     std::vector<double>(5, 1));
}

BezierCurve passive_curve(const Millard2012Shape& s) {
  const double x0 = 1 + s.strain_at_zero_force, x1 = 1 + s.strain_at_one_force;
  const double low = s.stiffness_at_low_force < 0 ? 0.2 : s.stiffness_at_low_force;
  const double stiff = s.stiffness_at_one_force < 0 ? 2 / (x1 - x0) : s.stiffness_at_one_force;
  const double c = s.passive_curviness < 0 ? 0.75 : s.passive_curviness;
  const double toe = std::min(0.1 / stiff, 0.1 * (x1 - x0));
  return BezierCurve("FiberForceLengthCurve",
                     {{x0, 0, 0}, {x0 + toe, 0.5 * low * toe, low}, {x1, 1, stiff}}, {c, c});
}

/// The toe bends towards a chord that meets the axis at a tenth of the toe's length and the linear
/// part at half the force at the toe's end.
BezierCurve tendon_curve(const Millard2012Shape& s) {
  const double k = s.tendon_stiffness < 0 ? 1.375 / s.tendon_strain : s.tendon_stiffness;
  const double y_toe = s.force_at_toe_end < 0 ? 2.0 / 3 : s.force_at_toe_end;
  const double c = s.tendon_curviness < 0 ? 0.5 : s.tendon_curviness;
  const double one = 1 + s.tendon_strain;
  const double x_toe = one + (y_toe - 1) / k;
  const double foot = 1 + (x_toe - 1) / 10;
  const double middle = one + (0.5 * y_toe - 1) / k;
  const double slope = 0.5 * y_toe / (middle - foot);
  const double x = 0.5 * (foot + middle);
  return BezierCurve("TendonForceLengthCurve",
                     {{1, 0, 0}, {x, slope * (x - foot), slope}, {x_toe, y_toe, k}}, {c, c});
}

// ---- Thelen 2003

/// Force F = f_l a f_v over f_l a, as a function of velocity, solved from Thelen's equations 6
/// and 7 with a speed scale c = ¼ + ¾ a.
template <class T>
T thelen_velocity(const Thelen2003Curves& p, const T& v, const T& a) {
  const T c = 0.25 + 0.75 * a;
  const double A = p.velocity_shape, E = p.eccentric_force;
  if (v <= -c) return (v + c) / (c * (1 + 1 / A));
  if (v <= 0) return (c + v) / (c - v / A);
  const double k = (2 + 2 / A) / (E - 1);
  const double f0 = p.extrapolation * E;
  const T v0 = c * (f0 - 1) / (k * (E - f0));
  if (v < v0) return (c + v * (k * E)) / (c + v * k);
  return f0 + (v - v0) * (k * (E - f0) * (E - f0) / (E - 1)) / c;
}

template <class T>
T thelen_inverse(const Thelen2003Curves& p, const T& f, const T& a) {
  const T c = 0.25 + 0.75 * a;
  const double A = p.velocity_shape, E = p.eccentric_force;
  if (f <= 0) return c * (f * (1 + 1 / A) - 1);
  if (f <= 1) return c * (f - 1) / (1 + f / A);
  const double k = (2 + 2 / A) / (E - 1);
  const double f0 = p.extrapolation * E;
  if (f < f0) return c * (f - 1) / (k * (E - f));
  return c * ((f0 - 1) / (k * (E - f0)) + (f - f0) * ((E - 1) / (k * (E - f0) * (E - f0))));
}

// ---- De Groote et al. 2016

/// b₁ exp(−½ ((x − b₂)/(b₃ + b₄ x))²).
CurvePoint bell(double x, double b1, double b2, double b3, double b4) {
  const double w = b3 + b4 * x, z = (x - b2) / w;
  const double dz = (b3 + b4 * b2) / (w * w), d2z = -2 * b4 * dz / w;
  const double y = b1 * exp(-0.5 * z * z);
  return {y, -y * z * dz, y * (z * z * dz * dz - dz * dz - z * d2z)};
}

CurvePoint degroote_active(const DeGrooteFregly2016Curves& p, double l) {
  const double x = (l - 1) / p.active_width + 1;
  CurvePoint sum;
  for (const CurvePoint& b :
       {bell(x, 0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
        bell(x, 0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
        bell(x, 0.1, 1, 0.353553390593274, 0)}) {
    sum.y += b.y;
    sum.dy += b.dy / p.active_width;
    sum.d2y += b.d2y / (p.active_width * p.active_width);
  }
  return sum;
}

constexpr double kDeGrooteShortest = 0.2;
constexpr double kV1 = -0.3211346127989808, kV2 = -8.149, kV3 = -0.374, kV4 = 0.8825327733249912;

double check_positive(double value, const char* what, const std::string& element) {
  if (!(value > 0))
    throw Error(element, std::string(what) + " is " + std::to_string(value),
                "it must be greater than zero");
  return value;
}

}  // namespace

Millard2012Curves::Millard2012Curves(const Millard2012Shape& s)
    : active(active_curve(s)),
      velocity(velocity_curve(s)),
      passive(passive_curve(s)),
      tendon(tendon_curve(s)),
      shape_(s) {}

CurvePoint active_force_length(const HillCurves& curves, double l) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves)) {
    const double x = l - 1, k = 1 / p->active_shape, y = exp(-x * x * k);
    return {y, -2 * x * k * y, (4 * x * x * k - 2) * k * y};
  }
  if (const auto* p = std::get_if<Millard>(&curves)) return (*p)->active.at(l);
  return degroote_active(std::get<DeGrooteFregly2016Curves>(curves), l);
}

CurvePoint passive_force_length(const HillCurves& curves, double l) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves)) {
    if (l <= 1) return {};
    const double k = p->passive_shape / p->passive_strain;
    const double e = exp(k * (l - 1)), scale = 1 / (exp(p->passive_shape) - 1);
    return {scale * (e - 1), scale * k * e, scale * k * k * e};
  }
  if (const auto* p = std::get_if<Millard>(&curves)) return (*p)->passive.at(l);
  const double shape = 4, k = shape / std::get<DeGrooteFregly2016Curves>(curves).passive_strain;
  const double zero = exp(k * (kDeGrooteShortest - 1)), scale = 1 / (exp(shape) - zero);
  const double e = exp(k * (l - 1));
  return {scale * (e - zero), scale * k * e, scale * k * k * e};
}

CurvePoint tendon_force_length(const HillCurves& curves, double l) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves)) {
    // The exponential toe meets the line in force and slope at 0.33 of the maximal force.
    const double x = l - 1, e3 = exp(3.0), f = 0.33;
    const double toe = 99 * p->tendon_strain * e3 / (166 * e3 - 67);
    if (x <= 0) return {};
    if (x > toe) {
      const double k = 0.67 / (p->tendon_strain - toe);
      return {k * (x - toe) + f, k, 0};
    }
    const double k = 3 / toe, e = exp(k * x), scale = f / (e3 - 1);
    return {scale * (e - 1), scale * k * e, scale * k * k * e};
  }
  if (const auto* p = std::get_if<Millard>(&curves)) return (*p)->tendon.at(l);
  const double c = 0.2,
               k = std::log((1 + c) / c) / std::get<DeGrooteFregly2016Curves>(curves).tendon_strain;
  const double e = c * exp(k * (l - 1));
  return {e - c, k * e, k * k * e};
}

template <class T>
T force_velocity(const HillCurves& curves, const T& v, const T& activation) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves))
    return thelen_velocity(*p, v, activation);
  const double x = value_of(v);
  if (const auto* p = std::get_if<Millard>(&curves)) return chained(v, (*p)->velocity.at(x));
  const double z = kV2 * x + kV3;
  return chained(v, {kV1 * std::asinh(z) + kV4, kV1 * kV2 / std::sqrt(z * z + 1), 0});
}

template <class T>
T inverse_force_velocity(const HillCurves& curves, const T& force, const T& activation) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves))
    return thelen_inverse(*p, force, activation);
  const double f = value_of(force);
  if (const auto* p = std::get_if<Millard>(&curves))
    return chained(force, (*p)->velocity.inverse(f));
  const double z = (f - kV4) / kV1;
  return chained(force, {(std::sinh(z) - kV3) / kV2, std::cosh(z) / (kV1 * kV2), 0});
}

template double force_velocity(const HillCurves&, const double&, const double&);
template DualFour force_velocity(const HillCurves&, const DualFour&, const DualFour&);
template DualOne force_velocity(const HillCurves&, const DualOne&, const DualOne&);
template double inverse_force_velocity(const HillCurves&, const double&, const double&);
template DualFour inverse_force_velocity(const HillCurves&, const DualFour&, const DualFour&);

bool is_velocity_invertible(const HillCurves& curves) {
  const auto* p = std::get_if<Millard>(&curves);
  return !p ||
         ((*p)->shape().concentric_slope_at_vmax > 0 && (*p)->shape().eccentric_slope_at_vmax > 0);
}

double min_active_length(const HillCurves& curves) {
  if (const auto* p = std::get_if<Millard>(&curves)) return (*p)->shape().min_active_length;
  if (std::holds_alternative<DeGrooteFregly2016Curves>(curves)) return kDeGrooteShortest;
  return 0;
}

void check_curves(const HillCurves& curves, const std::string& element) {
  if (const auto* p = std::get_if<Thelen2003Curves>(&curves)) {
    check_positive(p->tendon_strain, "FmaxTendonStrain", element);
    check_positive(p->passive_strain, "FmaxMuscleStrain", element);
    check_positive(p->active_shape, "KshapeActive", element);
    check_positive(p->passive_shape, "KshapePassive", element);
    check_positive(p->velocity_shape, "Af", element);
    if (!(p->extrapolation < 1 && p->extrapolation * p->eccentric_force > 1))
      throw Error(element, "Flen and fv_linear_extrap_threshold leave no eccentric force",
                  "their product must be greater than 1, and the threshold below 1");
  } else if (const auto* d = std::get_if<DeGrooteFregly2016Curves>(&curves)) {
    check_positive(d->active_width, "active_force_width_scale", element);
    check_positive(d->passive_strain, "passive_fiber_strain_at_one_norm_force", element);
    check_positive(d->tendon_strain, "tendon_strain_at_one_norm_force", element);
  } else if (!std::get<Millard>(curves)) {
    throw Error(element, "it has no curves", "give it the curves of Millard et al. 2013");
  }
}

}  // namespace sinew
