#pragma once

#include <cmath>
#include <numbers>

#include "sinew/muscles/wrap/capped_cylinder_exact.hpp"

/// The two halves of a path over the seam between cylinder and cap, and the place where it crosses.

namespace sinew::capped {

enum class Way { barrel, cap, up, down };  ///< up: from the cylinder over the seam to the cap

/// A tangent from a point at distance ρ of a circle's centre: its length and the angle at the
/// centre.
template <class T>
struct Tangent {
  T length, angle;
  Tangent(const T& rho2, double r) {
    using std::atan2, std::sqrt;
    length = sqrt(rho2 - r * r);
    angle = atan2(length, T(r));
  }
};

template <class T>
T square(const Point<T>& x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}
template <class T>
T product(const Point<T>& x, const Point<T>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/// The direction across z from the axis to a point, turned by an angle in the sense of `sign`.
template <class T>
Point<T> turned(const Point<T>& anchor, const T& angle, double sign) {
  using std::cos, std::sin, std::sqrt;
  const T per_rho = 1.0 / sqrt(anchor[0] * anchor[0] + anchor[1] * anchor[1]);
  const T x = anchor[0] * per_rho, y = anchor[1] * per_rho;
  const T c = cos(angle), s = sign * sin(angle);
  return {c * x - s * y, c * y + s * x, T(0)};
}

/// From an anchor a below the seam around the cylinder to the point P of the seam that is `psi`
/// further about z: a tangent and a helix. z is linear in the length unrolled.
template <class T>
struct CylinderHalf {
  Tangent<T> tangent;
  T plane, length;  ///< lengths unrolled to the plane, and in space
  Point<T> touch, seam;
  CylinderHalf(const Point<T>& a, const T& psi, double sign, double r)
      : tangent(T(a[0] * a[0] + a[1] * a[1]), r) {
    using std::sqrt;
    plane = tangent.length + r * (psi - tangent.angle);
    length = sqrt(plane * plane + a[2] * a[2]);
    touch = r * turned(a, tangent.angle, sign);
    touch[2] = a[2] * (1.0 - tangent.length / plane);
    seam = r * turned(a, psi, sign);
  }
};

/// From the point P of the seam over the cap to an anchor b: a great circle, a tangent.
template <class T>
struct CapHalf {
  Tangent<T> tangent;
  T arc;                  ///< angle
  Point<T> along, touch;  ///< direction at P
  CapHalf(const Point<T>& seam, const Point<T>& b, double r) : tangent(square(b), r) {
    using std::atan2, std::cos, std::sin, std::sqrt;
    const Point<T> p = (1 / r) * seam;
    const T ahead = product(p, b);
    const Point<T> across = b - ahead * p;
    const T beside = sqrt(square(across));
    along = (1.0 / beside) * across;
    arc = atan2(beside, ahead) - tangent.angle;
    touch = r * (cos(arc) * p + sin(arc) * along);
  }
};

/// ∂(length)/∂ψ of both halves together, over r: the difference of the tangents' parts along the
/// seam.
template <class T>
T mismatch(const Point<T>& a, const Point<T>& b, const T& psi, double sign, double r) {
  const CylinderHalf<T> below(a, psi, sign, r);
  const CapHalf<T> above(below.seam, b, r);
  const Point<T> seam_tangent = turned(a, T(psi + 0.5 * std::numbers::pi), sign);
  return below.plane / below.length - product(above.along, seam_tangent);
}

/// ψ as a function of the anchors: Newton's method from its plain value.
template <class T>
T refine_crossing(const Point<T>& a, const Point<T>& b, double psi0, double sign, double r) {
  using Seed = Dual<double, 1>;
  Point<Seed> a0, b0;
  for (int k = 0; k < 3; ++k) {
    a0[k] = Seed(value_of(a[k]));
    b0[k] = Seed(value_of(b[k]));
  }
  const double slope = mismatch(a0, b0, Seed::Variable(psi0, 0), sign, r).d[0];
  T psi(psi0);
  for (int k = 0; k < derivative_order<T>; ++k) psi -= mismatch(a, b, psi, sign, r) * (1 / slope);
  return psi;
}

}  // namespace sinew::capped
