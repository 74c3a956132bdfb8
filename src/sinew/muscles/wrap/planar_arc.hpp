#pragma once

#include <numbers>

#include "sinew/math/smooth_ramp.hpp"
#include "sinew/muscles/wrap/span.hpp"

/// The planar problem behind cylinder and sphere: from O to I around a circle about the origin, as
/// tangent, arc, tangent. The path winds positively, so the centre is on its left. Everything
/// depends on four products of O and I:
///     ρ_o² = O·O,  ρ_i² = I·I,  d = O·I,  c = O × I,   and D² = |I − O|²,
/// with θ = atan2(c, d) the angle to wind, h = c/D the signed distance of the centre from the
/// chord, and s = (ρ_o² − d)/D² the parameter of the foot of the centre on the chord.
///
/// exact:   r̃ = r
/// smooth:  r̃ = h + S_e(r − h),   e = ε s(1 − s) D                       (chord form)
/// both:    φ̃ = θ − acos(r̃/ρ_o) − acos(r̃/ρ_i),   L = l_o + r̃ φ̃ + l_i,   l = √(ρ² − r̃²)
/// s(1 − s) D = 1/(1/l_o + 1/l_i) turns angles into distances, so ε is the half-width of the band
/// around touch-down in radians: the smooth path is straight for φ < −ε and exact for φ > ε (to
/// first order), where φ is the exact model's angle. docs/theory/wrapping.md derives it.

namespace sinew {

/// The transition of a path from straight to wrapped.
enum class WrapKind {
  exact,   ///< the shortest path: points are continuous, their velocities jump at touch-down
  smooth,  ///< C⁴ over touch-down, exact outside a band around it
};

/// Half-width of the band of smooth models, by default [rad].
inline constexpr double kDefaultBand = 0.07;
inline constexpr double kMaxBand = 0.3;  ///< above it the limiter below does not keep r̃ < ρ

template <class T>
struct PlanarPair {
  T rho2_o, rho2_i, dot, cross, chord2;  ///< ρ_o², ρ_i², d, c, D²
};

template <class T>
struct PlanarArc {
  T radius, l_o, l_i, angle;  ///< r̃, lengths of the tangents, φ̃
  T length() const { return l_o + radius * angle + l_i; }
};

/// Winding range. From 3π/2 to 7π/4 there is no path; beyond it the anchors count as having passed
/// each other the other way, by up to π/4, and the path is free if its chord clears the circle. The
/// cut must lie somewhere; a sector cannot be crossed unnoticed.
enum class Winding {
  free,     ///< the chord
  contact,  ///< in contact, or within the band
  no_path,  ///< in the cut
};
/// `gap` is the distance from the circle at which contact begins, along the normal of the chord.
Winding planar_winding(const PlanarPair<double>& pair, double radius, double gap);

inline constexpr double kLimiter = 0.05;  ///< η
inline constexpr double kLimiterReach = (1 + kLimiter) / (1 - kLimiter);

/// Limits the radius near anchors: r − S_{ηr}(r − (1 − η) ρ), for both of them. The same as r for
/// ρ ≥ 1.11 r, at most (1 − η) ρ for every ρ: the smooth model has a path for any anchors.
template <class T>
T limited_radius(double radius, const PlanarPair<T>& pair) {
  using std::sqrt;
  const double width = kLimiter * radius, reach = kLimiterReach * radius;
  T limited = T(radius);
  for (const T& rho2 : {pair.rho2_o, pair.rho2_i})
    if (rho2 < reach * reach)
      limited = limited - smooth_ramp(T(limited - (1 - kLimiter) * sqrt(rho2)), T(width));
  return limited;
}

/// Half-width e of the band as a distance between centre and chord.
template <class T>
T band_width(double band, const PlanarPair<T>& pair, const T& chord) {
  return band * (pair.rho2_o - pair.dot) * (pair.rho2_i - pair.dot) / (pair.chord2 * chord);
}

inline double band_width(double band, const PlanarPair<double>& pair) {
  return band_width(band, pair, std::sqrt(pair.chord2));
}

/// r̃ of the smooth model.
template <class T>
T smooth_radius(const T& radius, double band, const PlanarPair<T>& pair) {
  using std::sqrt;
  const T chord = sqrt(pair.chord2), h = pair.cross / chord;
  const T e = band_width(band, pair, chord);
  const T depth = radius - h;
  if (depth >= e) return radius;
  return h + smooth_ramp(depth, e);
}

/// r̃ of the smooth model with the limiter, and its derivatives by the five products, for double:
///     dr̃ = (1 − S′) dh + S′ dr_e + (S − x S′) de/e,    x = r_e − h.
double smooth_radius_slopes(double radius, double band, const PlanarPair<double>& pair,
                            PlanarPair<double>& slopes);

/// The tangents and the arc about a circle of the given radius. One atan2: the argument of
/// (d + i c)(r̃ − i l_o)(r̃ − i l_i) is θ − acos(r̃/ρ_o) − acos(r̃/ρ_i).
template <class T>
PlanarArc<T> planar_arc(const PlanarPair<T>& pair, const T& radius) {
  using std::atan2, std::sqrt;
  const T r2 = radius * radius;
  const T l_o = sqrt(pair.rho2_o - r2), l_i = sqrt(pair.rho2_i - r2);
  const T a = r2 - l_o * l_i, b = radius * (l_o + l_i);
  T angle = atan2(pair.cross * a - pair.dot * b, pair.dot * a + pair.cross * b);
  // φ̃ is in [0, 3π/2); rounding may make a zero slightly negative.
  if (angle < -0.25 * std::numbers::pi) angle = angle + 2 * std::numbers::pi;
  return {radius, l_o, l_i, angle};
}

/// Appends tangent, helix and tangent: z, the height along e3, is linear in the length of the path,
/// which is how a cylinder unrolls. `start` and `end` are the arc's ends, `base` the point of the
/// axis beside `start`; e1 points from there to `start`, e2 = e3 × e1; `sign` is the sense of
/// winding about e3 and `rise` the height of i over o.
template <class T>
void add_wrapped(const PlanarArc<T>& arc, const T& rise, double sign, const Point<T>& start,
                 const Point<T>& end, const Point<T>& i, SpanShape<T>& out) {
  using std::sqrt;
  const T plane = arc.length();
  const T length = sqrt(plane * plane + rise * rise);
  const T stretch = length / plane;
  HelixArc<T>& helix = out.helix[0];
  helix.radius = arc.radius;
  helix.turn = sign / (arc.radius * stretch);
  helix.pitch = rise / length;
  out.add_straight(start, arc.l_o * stretch);
  out.add_arc(end, PieceKind::helix, 0, arc.radius * arc.angle * stretch);
  out.add_straight(i, arc.l_i * stretch);
  out.wrapped_angle = arc.angle;
}

}  // namespace sinew
