#include "sinew/muscles/hill/hill_step.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// r of (H11) and its derivatives.
struct Residual {
  double r, by_fibre, by_length;
  double tendon, cosine;  ///< f_t; cos φ
  double by_velocity;     ///< by the fibre's velocity, in units of (l − c)/γ
};

using Slope = Dual<double, 1>;

struct Stage {
  const HillMuscle& m;
  double a, length, c, gamma;
  double h;  ///< the muscle's thickness

  Residual at(double l) const {
    const double l0 = m.optimal_fibre_length, ls = m.tendon_slack_length;
    const double sine = h > 0 ? h / l : 0, cosine = std::sqrt(1 - sine * sine);
    const CurvePoint active = active_force_length(m.curves, l / l0);
    const CurvePoint passive = passive_force_length(m.curves, l / l0);
    const CurvePoint series = tendon_force_length(m.curves, (length - l * cosine) / ls);
    const double per_length = 1 / (gamma * m.max_velocity());
    const Slope v = Slope::Variable((l - c) * per_length, 0);
    const Slope f_v = force_velocity(m.curves, v, Slope(a));
    const double force = a * active.y * f_v.v + passive.y + m.damping * v.v;
    const double stiffness = (a * active.dy * f_v.v + passive.dy) / l0 +
                             (a * active.y * f_v.d[0] + m.damping) * per_length;
    const double turning = h > 0 ? force * sine * sine / (l * cosine) : 0;
    const double pull = series.dy / ls;
    return {force * cosine - series.y,
            stiffness * cosine + turning + pull / cosine,
            -pull,
            series.y,
            cosine,
            (a * active.y * f_v.d[0] + m.damping) * per_length * cosine};
  }
  double by_activation(double l) const {
    const double sine = h > 0 ? h / l : 0, cosine = std::sqrt(1 - sine * sine);
    const double active = active_force_length(m.curves, l / m.optimal_fibre_length).y;
    const Slope f_v = force_velocity(m.curves, Slope((l - c) / (gamma * m.max_velocity())),
                                     Slope::Variable(a, 0));
    return active * (f_v.v + a * f_v.d[0]) * cosine;
  }
};

/// A rigid tendon: the fibre follows the path, (H4), (H5) and their derivatives by L and L̇.
HillTension rigid_tension(const HillMuscle& m, double activation, double length, double rate) {
  const double along = length - m.tendon_slack_length, shortest = m.min_fibre_length();
  const double h = m.thickness(), l = along > 0 ? std::sqrt(along * along + h * h) : 0;
  if (!(l > shortest)) return {0, 0, 0, shortest};
  const double a = std::clamp(activation, m.min_activation, 1.0);
  const double cosine = along / l, turning = (1 - cosine * cosine) / l;  // ∂cos φ/∂L
  const double l0 = m.optimal_fibre_length, v0 = m.max_velocity(), F0 = m.max_isometric_force;
  const CurvePoint active = active_force_length(m.curves, l / l0);
  const CurvePoint passive = passive_force_length(m.curves, l / l0);
  const Slope v = Slope::Variable(rate * cosine / v0, 0);
  const Slope f_v = force_velocity(m.curves, v, Slope(a));
  const double force = F0 * (a * active.y * f_v.v + passive.y + m.damping * v.v);
  if (force < 0) return {0, 0, 0, l};
  const double stiffness = F0 / l0 * (a * active.dy * f_v.v + passive.dy);
  const double viscosity = F0 / v0 * (a * active.y * f_v.d[0] + m.damping);
  return {force * cosine,
          cosine * (stiffness * cosine + viscosity * rate * turning) + force * turning,
          viscosity * cosine * cosine, l};
}

}  // namespace

HillTension held_tension(const HillMuscle& m, double activation, double length, double rate,
                         double fibre_length) {
  if (m.rigid_tendon) return rigid_tension(m, activation, length, rate);
  // The tendon alone decides.
  const double l = std::max(fibre_length, m.min_fibre_length()), h = m.thickness();
  const double sine = h > 0 ? h / l : 0, cosine = std::sqrt(1 - sine * sine);
  const double ls = m.tendon_slack_length, F0 = m.max_isometric_force;
  const CurvePoint series = tendon_force_length(m.curves, (length - l * cosine) / ls);
  return {F0 * series.y, F0 / ls * series.dy, 0, l};
}

HillTension implicit_tension(const HillMuscle& m, double activation, double length, double rate,
                             double c, double gamma) {
  if (m.rigid_tendon) return held_tension(m, activation, length, rate, c);
  const double F0 = m.max_isometric_force, h = m.thickness();
  const Stage stage{m, std::clamp(activation, m.min_activation, 1.0), length, c, gamma, h};
  const double along = length - m.tendon_slack_length;
  double low = m.min_fibre_length();
  double high = std::max({low, c, along > 0 ? std::sqrt(along * along + h * h) : 0.0});
  Residual r = stage.at(low);
  if (!(r.r < 0)) return {F0 * r.tendon, -F0 * r.by_length, 0, low};
  double l = std::clamp(c, low, high);
  for (int i = 0; i < 200; ++i) {
    r = stage.at(l);
    if (r.r == 0) break;
    (r.r < 0 ? low : high) = l;
    const double step = r.r / r.by_fibre;
    // Newton's method squares the error after a step this small: the next one is rounding.
    if (std::abs(step) <= 1e-9 * m.optimal_fibre_length) {
      l = std::clamp(l - step, m.min_fibre_length(), l + std::abs(step));
      r = stage.at(l);
      break;
    }
    const double next = l - step;
    l = next > low && next < high ? next : 0.5 * (low + high);
  }
  const double dl = -r.by_length / r.by_fibre;
  return {F0 * r.tendon, -F0 * r.by_length * (1 - dl / r.cosine), 0, l};
}

namespace {

/// Of a rigid tendon: the fibre has the rest of the path.
HillStageSlopes differentiate_rigid(const HillMuscle& m, double activation, double length,
                                    double rate, const HillTension& solution) {
  const double l = solution.fibre_length;
  HillStageSlopes out;
  if (!(l > m.min_fibre_length())) return out;
  const double cosine = (length - m.tendon_slack_length) / l;
  out.fibre_by_length = cosine;
  if (solution.tension == 0 || activation != std::clamp(activation, m.min_activation, 1.0))
    return out;
  const Slope f_v = force_velocity(m.curves, Slope(rate * cosine / m.max_velocity()),
                                   Slope::Variable(activation, 0));
  const double active = active_force_length(m.curves, l / m.optimal_fibre_length).y;
  out.tension_by_activation =
      m.max_isometric_force * active * (f_v.v + activation * f_v.d[0]) * cosine;
  return out;
}

}  // namespace

HillStageSlopes differentiate_stage(const HillMuscle& m, double activation, double length,
                                    double rate, double c, double gamma,
                                    const HillTension& solution) {
  if (m.rigid_tendon) return differentiate_rigid(m, activation, length, rate, solution);
  const double l = solution.fibre_length, a = std::clamp(activation, m.min_activation, 1.0);
  const Stage stage{m, a, length, c, gamma, m.thickness()};
  // A fibre at its least length does not move.
  const double low = m.min_fibre_length();
  if (l <= low && !(stage.at(low).r < 0)) return {};
  const Residual r = stage.at(l);
  HillStageSlopes out;
  out.fibre_by_activation = a == activation ? -stage.by_activation(l) / r.by_fibre : 0;
  out.fibre_by_start = r.by_velocity / r.by_fibre;
  out.fibre_by_length = -r.by_length / r.by_fibre;
  const double tension_by_fibre = m.max_isometric_force * r.by_length / r.cosine;
  out.tension_by_activation = tension_by_fibre * out.fibre_by_activation;
  out.tension_by_start = tension_by_fibre * out.fibre_by_start;
  return out;
}

}  // namespace sinew
