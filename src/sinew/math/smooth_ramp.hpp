#pragma once

/// A smooth max(x, 0): exactly 0 for x ≤ −w, exactly x for x ≥ w, and between them the polynomial
/// of least degree with four continuous derivatives. With y = (x + w)/2w it is
///     S = w y⁵ (14 − 28 y + 20 y² − 5 y³),     S″ = 70 y³ (1 − y)³ / w,
/// never negative, never falling, convex, and at most 0.14 w above max(x, 0). w > 0.
///
/// Everything is in powers of y times a positive factor: no digits are lost near −w, and rounding
/// makes nothing negative.

namespace sinew {

/// T may carry derivatives (Dual, Taylor2); the width may vary.
template <class T>
T smooth_ramp(const T& x, const T& w) {
  if (x <= -w) return T(0);
  if (x >= w) return x;
  const T y = 0.5 * (x / w + 1.0), y2 = y * y;
  return w * y2 * y2 * y * (14.0 + y * (y * (20.0 - 5.0 * y) - 28.0));
}

double smooth_ramp_slope(double x, double w);  ///< dS/dx, from 0 to 1
/// ∫ S from −∞: w² y⁶ (14/3 − 8 y + 5 y² − 10/9 y³), and x²/2 + w²/18 for x ≥ w.
double smooth_ramp_integral(double x, double w);

}  // namespace sinew
