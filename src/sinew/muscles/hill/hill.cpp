#include "sinew/muscles/hill/hill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {

using std::abs;
using std::asin;
using std::cos;
using std::sqrt;

template <class T>
T curve(const T& x, const CurvePoint& p);
template <>
double curve(const double&, const CurvePoint& p) {
  return p.y;
}
template <>
HillDual curve(const HillDual& x, const CurvePoint& p) {
  return detail::chain(x, p.y, p.dy, 0);
}
template <class T>
T slope(const T& x, const CurvePoint& p) {
  return curve(x, {p.dy, p.d2y, 0});
}

/// cos φ of a fibre of length l ≥ the least one, (H2).
template <class T>
T cos_pennation(const HillMuscle& m, const T& l) {
  const double h = m.thickness();
  if (h == 0) return T(1);
  const T sine = h / l;
  if (sine >= std::sin(m.max_pennation)) return T(std::cos(m.max_pennation));
  return sqrt(1 - sine * sine);
}

template <class T>
T pennation(const HillMuscle& m, const T& l) {
  const double h = m.thickness();
  if (h == 0) return T(0);
  const double sine = h / value_of(l);
  if (sine >= std::sin(m.max_pennation)) return T(m.max_pennation);
  const double c = sqrt(1 - sine * sine);
  return curve(l, {asin(sine), -sine / (value_of(l) * c), 0});
}

/// The velocity v, in v₀, at which (a f_l f_v(v) + f_p + β v) cos φ = f_t, by Newton's method
/// within a bracket: the left-hand side increases at least as fast as β v.
double damped_velocity(const HillMuscle& m, double a, double active, double excess) {
  const double s = a * active;
  const auto force = [&](double v) {
    return s * force_velocity(m.curves, v, a) + m.damping * v - excess;
  };
  // β v ≤ excess − s f_v(v): far enough out the damper alone outweighs everything.
  double low = -1, high = 1;
  while (force(low) > 0) low *= 2;
  while (force(high) < 0) high *= 2;
  double v = std::clamp(0.0, low, high);
  for (int i = 0; i < 200; ++i) {
    const Dual<double, 4> x = Dual<double, 4>::Variable(v, 0), act(a);
    const Dual<double, 4> f = s * force_velocity(m.curves, x, act) + m.damping * x - excess;
    if (f.v == 0) break;
    (f.v < 0 ? low : high) = v;
    const double next = v - f.v / f.d[0];
    if (abs(next - v) <= 1e-15 * (1 + abs(v))) break;
    v = next > low && next < high ? next : 0.5 * (low + high);
  }
  return v;
}

/// Fibre velocity of an elastic tendon in v₀, (H8).
template <class T>
T elastic_velocity(const HillMuscle& m, const T& a, const T& active, const T& passive,
                   const T& tendon, const T& cosine) {
  const T excess = tendon / cosine - passive;
  if (m.damping == 0) return inverse_force_velocity<T>(m.curves, excess / (a * active), a);
  const double v = damped_velocity(m, value_of(a), value_of(active), value_of(excess));
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else {
    // One Newton step in numbers that carry derivatives makes those exact (implicit function).
    const T x(v);
    const T residual = a * active * force_velocity(m.curves, x, a) + m.damping * x - excess;
    HillDual along = HillDual::Variable(v, 0);
    const double rate = (value_of(a) * value_of(active)) *
                            force_velocity(m.curves, along, HillDual(value_of(a))).d[0] +
                        m.damping;
    T out = x - residual / rate;
    out.v = v;
    return out;
  }
}

template <class T>
HillValues<T> evaluate(const HillMuscle& m, const T& activation, const T& length, const T& rate,
                       const T& fibre) {
  HillValues<T> out;
  const double l0 = m.optimal_fibre_length, F0 = m.max_isometric_force,
               shortest = m.min_fibre_length();
  T a = activation;
  if (a < m.min_activation) a = T(m.min_activation);
  if (a > 1) a = T(1);

  // position, (H1)–(H4)
  T l = fibre;
  if (m.rigid_tendon) {
    const T along = length - m.tendon_slack_length;
    const double h = m.thickness();
    l = along > 0 ? sqrt(along * along + h * h) : T(0);
  }
  const bool at_least = !(l > shortest);
  if (at_least) l = T(shortest);
  const T cosine = cos_pennation(m, l), ln = l / l0;
  const T tendon = length - l * cosine, tn = tendon / m.tendon_slack_length;
  const CurvePoint active = active_force_length(m.curves, value_of(ln));
  const CurvePoint passive = passive_force_length(m.curves, value_of(ln));
  const CurvePoint series = tendon_force_length(m.curves, value_of(tn));
  const T f_l = curve(ln, active), f_p = curve(ln, passive);
  T f_t = curve(tn, series);

  // velocity, (H6)–(H8)
  T v;
  if (m.rigid_tendon)
    v = at_least ? T(0) : rate * cosine / m.max_velocity();
  else
    v = elastic_velocity(m, a, f_l, f_p, f_t, cosine);
  // Millard's f_l ends at zero there only to rounding.
  out.clamped = at_least && !(v > 1e-12);
  if (out.clamped) v = T(0);
  // Undamped fibres have f_v from the forces in series: the inverse of an extrapolated curve.
  const T f_v = out.clamped ? T(1) : force_velocity(m.curves, v, a);

  // forces, (H5)
  T active_force = F0 * (a * f_l * f_v), damping = F0 * (m.damping * v);
  T passive_force = F0 * f_p + damping, force = active_force + passive_force;
  if (m.rigid_tendon && force < 0) {  // fibres do not push: the damper gives way
    passive_force = -active_force;
    force = T(0);
  }
  if (out.clamped) {
    active_force = force = T(0);
    // As OpenSim reports it: Thelen's muscle reports its passive force anyway.
    passive_force = std::holds_alternative<Thelen2003Curves>(m.curves) ? T(F0 * passive.y) : T(0);
  }
  const T along = force * cosine;
  if (m.rigid_tendon) f_t = along / F0;

  out.activation = a;
  out.fibre_length = l;
  out.norm_fibre_length = ln;
  out.pennation = pennation(m, l);
  out.tendon_length = tendon;
  out.tendon_strain = tn - 1;
  out.fibre_velocity = v * m.max_velocity();
  out.norm_fibre_velocity = v;
  out.active_force_length = f_l;
  out.passive_force_length = f_p;
  out.force_velocity = f_v;
  out.active_fibre_force = active_force;
  out.passive_fibre_force = passive_force;
  out.fibre_force = force;
  out.fibre_force_along_tendon = along;
  out.tendon_force = F0 * f_t;
  out.fibre_stiffness =
      out.clamped ? T(0) : (F0 / l0) * (a * f_v * slope(ln, active) + slope(ln, passive));
  if (out.clamped)
    out.tendon_stiffness = T(0);
  else if (m.rigid_tendon)
    out.tendon_stiffness = T(std::numeric_limits<double>::infinity());
  else
    out.tendon_stiffness = (F0 / m.tendon_slack_length) * slope(tn, series);
  out.actuation = out.tendon_force;
  return out;
}

}  // namespace

double HillMuscle::thickness() const {
  return pennation_at_optimal == 0 ? 0 : optimal_fibre_length * std::sin(pennation_at_optimal);
}

double HillMuscle::min_fibre_length() const {
  // Used in every evaluation; nearly all muscles have the same limit.
  static const double kUsual = HillMuscle().max_pennation, kSineOfUsual = std::sin(kUsual);
  const double sine = max_pennation == kUsual ? kSineOfUsual : std::sin(max_pennation);
  return std::max(thickness() / sine, min_active_length(curves) * optimal_fibre_length);
}

void check_hill_muscle(const HillMuscle& m, const std::string& element) {
  const auto positive = [&](double value, const char* what) {
    if (!(value > 0) || !std::isfinite(value))
      throw Error(element, std::string(what) + " is " + std::to_string(value),
                  "it must be greater than zero");
  };
  positive(m.max_isometric_force, "max_isometric_force");
  positive(m.optimal_fibre_length, "optimal_fiber_length");
  positive(m.tendon_slack_length, "tendon_slack_length");
  positive(m.max_contraction_velocity, "max_contraction_velocity");
  const auto animal = [&](double length, const char* what) {
    constexpr double kLongest = 10;  // three times a giraffe's [m]
    if (length > kLongest)
      throw Error(element, std::string(what) + " is " + std::to_string(length) + " m",
                  "give metres: no animal has one of more than 10 m");
  };
  animal(m.optimal_fibre_length, "optimal_fiber_length");
  animal(m.tendon_slack_length, "tendon_slack_length");
  if (!(m.pennation_at_optimal >= 0 && m.pennation_at_optimal < m.max_pennation))
    throw Error(element, "pennation_angle_at_optimal is " + std::to_string(m.pennation_at_optimal),
                "it is in radians, from 0 to below " + std::to_string(m.max_pennation));
  if (!(m.damping >= 0))
    throw Error(element, "fiber_damping is negative", "give 0.1, or 0 for none");
  if (!(m.min_activation >= 0 && m.min_activation < 1))
    throw Error(element, "minimum_activation is " + std::to_string(m.min_activation),
                "it must be in [0, 1)");
  check_curves(m.curves, element);
  if (!m.rigid_tendon && m.damping == 0) {
    if (!is_velocity_invertible(m.curves))
      throw Error(element, "without damping the force-velocity curve cannot be inverted",
                  "give fiber_damping of at least 0.001, or slopes above zero at v_max");
    if (m.min_activation == 0)
      throw Error(element, "without damping a fibre with no activation has no velocity",
                  "give a minimum_activation above zero, such as 0.01");
  }
}

void check_fibre_length(const HillMuscle& m, double length, const std::string& element) {
  constexpr double kMostStretched = 4;  // twice the stretch at which fibres tear [l₀]
  if (!(length > 0 && length <= kMostStretched * m.optimal_fibre_length))
    throw Error(element, "its fibre length is " + std::to_string(length) + " m",
                "give metres, from above 0 to four times the optimal length of " +
                    std::to_string(m.optimal_fibre_length) + " m");
}

void set_millard_curves(Millard2012Shape shape, double damping, HillMuscle& muscle) {
  const bool damped = muscle.rigid_tendon || damping >= 0.001;
  muscle.damping = damping >= 0.001 ? damping : 0;
  if (damped) {
    shape.min_active_force = 0;
    shape.concentric_slope_at_vmax = shape.eccentric_slope_at_vmax = 0;
  } else {
    shape.min_active_force = std::max(shape.min_active_force, 0.1);
    if (shape.concentric_slope_at_vmax < 0.1 || shape.eccentric_slope_at_vmax < 0.1)
      shape.concentric_slope_at_vmax = shape.eccentric_slope_at_vmax = 0.1;
    muscle.min_activation = std::max(muscle.min_activation, 0.01);
  }
  muscle.curves = std::make_shared<const Millard2012Curves>(shape);
}

HillValues<double> evaluate_hill(const HillMuscle& m, double activation, double length, double rate,
                                 double fibre_length) {
  return evaluate<double>(m, activation, length, rate, fibre_length);
}

HillValues<HillDual> differentiate_hill(const HillMuscle& m, double activation, double length,
                                        double rate, double fibre_length) {
  return evaluate<HillDual>(
      m, HillDual::Variable(activation, kHillActivation), HillDual::Variable(length, kHillLength),
      HillDual::Variable(rate, kHillRate), HillDual::Variable(fibre_length, kHillFibre));
}

}  // namespace sinew
