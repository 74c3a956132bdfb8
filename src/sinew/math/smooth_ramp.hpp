#pragma once

/// A smooth max(x, 0): exactly 0 for x ≤ −w, exactly x for x ≥ w, and between them the polynomial
/// of least degree with four continuous derivatives. With y = (x + w)/2w it is
///     S = w y⁵ (14 − 28 y + 20 y² − 5 y³),     S″ = 70 y³ (1 − y)³ / w,
/// never negative, never falling, convex, and at most 0.14 w above max(x, 0). w > 0.

namespace sinew {

double smooth_ramp(double x, double w);
double smooth_ramp_slope(double x, double w);  ///< dS/dx, from 0 to 1
/// ∫ S from −∞: w² y⁶ (14/3 − 8 y + 5 y² − 10/9 y³), and x²/2 + w²/18 for x ≥ w.
double smooth_ramp_integral(double x, double w);

}  // namespace sinew
