#include "sinew/muscles/hill/hill_equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

/// Tolerance of forces over F₀, as in OpenSim: runs should start alike, and if a fibre is soft its
/// length depends on it by up to 1e-5 l₀.
constexpr double kAccuracy = 1e-8;

/// One muscle at one activation and path length, and the motion of its fibre.
struct Fibre {
  const HillMuscle& m;
  double a, length;       ///< activation; path length [m]
  double v = 0, f_v = 1;  ///< velocity [v₀] and its factor of the active force

  /// Length at which the tendon has the given length; 0 if nothing is left.
  double at_tendon_length(double tendon) const {
    const double along = length - tendon, h = m.thickness();
    return along > 0 ? std::sqrt(along * along + h * h) : 0.0;
  }
};

/// Forces over F₀, stiffnesses over F₀ per metre along the tendon.
struct Balance {
  double error, slope;  ///< fibre along the tendon − tendon, and its derivative by l
  double fibre_stiffness, tendon_stiffness;
  double unforced_stiffness;  ///< the fibre's if it carries no force: its turning adds nothing
  double cosine;
  bool taut;
};

Balance balance(const Fibre& f, double l) {
  const HillMuscle& m = f.m;
  const double h = m.thickness(), l0 = m.optimal_fibre_length, ls = m.tendon_slack_length;
  const double sine = h > 0 ? h / l : 0, cosine = std::sqrt(1 - sine * sine);
  const double tendon = (f.length - l * cosine) / ls;
  const CurvePoint active = active_force_length(m.curves, l / l0);
  const CurvePoint passive = passive_force_length(m.curves, l / l0);
  const CurvePoint series = tendon_force_length(m.curves, tendon);
  const double force = f.a * active.y * f.f_v + passive.y + m.damping * f.v;
  const double stiffness = (f.a * active.dy * f.f_v + passive.dy) / l0;
  // d cos φ/dl = h²/(l³ cos φ), d(l cos φ)/dl = 1/cos φ at constant thickness
  const double along = stiffness * cosine + (h > 0 ? force * sine * sine / (l * cosine) : 0);
  const double pull = series.dy / ls;
  return {force * cosine - series.y,
          along + pull / cosine,
          along * cosine,
          pull,
          stiffness * cosine * cosine,
          cosine,
          tendon > 1};
}

/// (H9) of a fibre at rest. The balance is positive at a slack tendon; if it is negative at the
/// least length there is a root between. Newton's method from a tendon stretched by 1 %, within a
/// bracket that shrinks in every step.
HillEquilibrium solve_at_rest(const Fibre& f, double shortest, double slack) {
  if (balance(f, shortest).error >= 0) return {HillStatus::clamped, shortest, 0};
  double low = shortest, high = slack;
  double l = std::clamp(f.at_tendon_length(1.01 * f.m.tendon_slack_length), low, high);
  Balance b = balance(f, l);
  for (int i = 0; i < 200; ++i) {
    if (std::abs(b.error) < kAccuracy) break;
    (b.error < 0 ? low : high) = l;
    const double next = l - b.error / b.slope;
    if (next == l) break;
    l = next > low && next < high ? next : 0.5 * (low + high);
    b = balance(f, l);
  }
  return {HillStatus::equilibrated, l, b.error};
}

/// (H10): the path's rate divides between tendon and fibre as their compliances do.
void share_velocity(const Balance& b, double rate, Fibre& f) {
  const double sum = b.fibre_stiffness + b.tendon_stiffness;
  const double tendon = b.taut && std::abs(sum) > 0 ? b.fibre_stiffness / sum * rate : rate;
  f.v = (rate - tendon) * b.cosine / f.m.max_velocity();
  f.f_v = std::max(0.0, force_velocity(f.m.curves, f.v, f.a));
}

/// (H9) and (H10) in turn, one shortened Newton step at a time with the velocity of the previous
/// step. The steps, their limits and their tolerance (1e-8 F₀) are OpenSim's: stopped so early, l
/// depends on them by up to 1e-5 l₀, and runs should start alike.
HillEquilibrium solve_moving(Fibre f, double rate, double shortest) {
  double l = std::max(f.at_tendon_length(1.01 * f.m.tendon_slack_length), shortest);
  Balance b = balance(f, l);
  b.fibre_stiffness = b.unforced_stiffness;
  share_velocity(b, rate, f);
  b = balance(f, l);
  const auto accurate = [&] { return std::abs(b.error) < kAccuracy; };
  for (int i = 0; i < 20 && !accurate(); ++i) {
    const Balance last = b;
    const double from = l;
    for (double share = 1; share > 1e-8; share *= 0.5) {
      const double step = -share * last.error / last.slope;
      const bool stuck = !(std::abs(step) > 2e-14);
      l = std::max(from + (stuck ? -std::copysign(1.5e-8, step) : step), shortest);
      b = balance(f, l);
      if (stuck || std::abs(b.error) < std::abs(last.error)) break;
    }
    if (!accurate()) share_velocity(b, rate, f);
  }
  if (accurate()) return {HillStatus::equilibrated, l, b.error};
  return {l > shortest ? HillStatus::no_equilibrium : HillStatus::clamped, l, b.error};
}

/// Newton's method from a fibre length that is nearly right, the velocity following, until it moves
/// by rounding alone.
void refine_equilibrium(Fibre f, double rate, bool moves, HillEquilibrium& e) {
  double l = e.fibre_length;
  Balance b = balance(f, l);
  for (int i = 0; i < 300; ++i) {
    if (moves) {
      share_velocity(b, rate, f);
      b = balance(f, l);
    }
    const double step = b.error / b.slope;
    if (!(std::abs(step) < 0.1 * l)) return;
    l -= step;
    b = balance(f, l);
    if (std::abs(step) <= 2 * std::numeric_limits<double>::epsilon() * l) break;
  }
  e.fibre_length = l;
  e.error = b.error;
}

HillEquilibrium solve_equilibrium(const Fibre& f, double rate, double shortest, double slack,
                                  Settling how) {
  const bool thelen = std::holds_alternative<Thelen2003Curves>(f.m.curves);
  HillEquilibrium out;
  if (thelen) out = solve_moving(f, rate, shortest);
  if (out.status == HillStatus::no_equilibrium) {
    out = solve_at_rest(f, shortest, slack);
    if (thelen && out.status == HillStatus::equilibrated) out.status = HillStatus::at_rest;
  }
  if (how == Settling::to_rounding && out.status != HillStatus::clamped)
    refine_equilibrium(f, rate, thelen && out.status == HillStatus::equilibrated, out);
  return out;
}

}  // namespace

HillEquilibrium equilibrate(const HillMuscle& m, double activation, double length, double rate,
                            Settling how) {
  if (!std::isfinite(activation) || !std::isfinite(length) || !std::isfinite(rate))
    return {HillStatus::no_equilibrium, std::numeric_limits<double>::quiet_NaN(), 0};
  const Fibre f{m, std::clamp(activation, m.min_activation, 1.0), length};
  const double shortest = m.min_fibre_length();
  const double slack = f.at_tendon_length(m.tendon_slack_length);
  if (!(slack > shortest)) return {HillStatus::clamped, shortest, 0};
  if (m.rigid_tendon) return {HillStatus::equilibrated, slack, 0};
  return solve_equilibrium(f, rate, shortest, slack, how);
}

}  // namespace sinew
