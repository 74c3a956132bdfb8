#include "sinew/integrate/dopri5.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/integrate/internal_stage.hpp"

// The 5(4) pair of Dormand and Prince on y = (q, q̇, z), ẏ = (q̇, q̈, ż).

namespace sinew {
namespace {

constexpr size_t kStages = 7;
/// The method's coefficients, by the letters of the literature.
namespace tableau {
constexpr double c[kStages] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
// Row 7 is the solution of fifth order: its stage is the first of the next step.
constexpr double a[kStages][kStages - 1] = {
    {},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
// Fifth less fourth order.
constexpr double e[kStages] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                               -17253. / 339200, 22. / 525, -1. / 40};
// The interpolant's last coefficient (Hairer, Nørsett and Wanner I, Eq. II.6.13 ff.).
constexpr double d[kStages] = {-12715105075. / 11282082432,  0,
                               87487479700. / 32700410799,   -10690763975. / 1880347072,
                               701980252875. / 199316789632, -1453857185. / 822651844,
                               69997945. / 29380423};
}  // namespace tableau

/// The stages in the workspace: q̇, q̈ and ż of each, and q and z of the latest.
struct Stages {
  explicit Stages(const StepContext& s)
      : q(stages(s, 1 + 2 * kStages)[0]),
        z(internal_stages(s, 1 + kStages)[0]),
        v(stages(s, 1 + 2 * kStages).subspan(1, kStages)),
        a(stages(s, 1 + 2 * kStages).subspan(1 + kStages, kStages)),
        zdot(internal_stages(s, 1 + kStages).subspan(1, kStages)) {}
  VecX &q, &z;
  std::span<VecX> v, a, zdot;
  std::array<double, kStages> power{};
};

/// A hair of time, ten times TimeTable's.
double hair(double t, double h) { return 1e-11 * std::max(std::abs(t), std::abs(h)); }

/// The time at which forces are evaluated at the end of a step: a hair before it if they jump
/// there.
double just_before(double t, double h) { return h > 0 ? t - hair(t, h) : t + hair(t, h); }

/// The first stage is the last of the step before, unless forces, charts or, by projection, the
/// state changed in between.
void run_first_stage(const StepContext& s, Stages& k) {
  const State& state = s.state;
  k.v[0] = state.qdot;
  if (state.memory.steps > 0) {
    k.a[0] = state.memory.qddot;
    k.zdot[0] = state.memory.zdot;
    k.power[0] = state.memory.power;
  } else {
    const At at = s.start();
    forward_dynamics(s.system, at, s.ws, k.a[0], s.options.baumgarte);
    internal_rates(s.system, at, s.ws, k.zdot[0]);
    k.power[0] = s.ws.forces.power;
  }
}

void run_stages(const StepContext& s, double h, bool ends_on_jump, Stages& k) {
  const State& state = s.state;
  for (size_t i = 1; i < kStages; ++i) {
    k.q = state.q;
    k.v[i] = state.qdot;
    k.z = state.z;
    for (size_t j = 0; j < i; ++j) {
      if (tableau::a[i][j] == 0) continue;
      k.q += (h * tableau::a[i][j]) * k.v[j];
      k.v[i] += (h * tableau::a[i][j]) * k.a[j];
      k.z += (h * tableau::a[i][j]) * k.zdot[j];
    }
    const double end = state.t + tableau::c[i] * h;
    const double t = ends_on_jump && tableau::c[i] == 1 ? just_before(end, h) : end;
    const At at = s.measured_at(t, k.q, k.v[i], k.z);
    follow_controls(s.system, at.controls, k.z);
    forward_dynamics(s.system, at, s.ws, k.a[i], s.options.baumgarte);
    internal_rates(s.system, at, s.ws, k.zdot[i]);
    k.power[i] = s.ws.forces.power;
  }
}

/// Largest |error| over its tolerance, and its coordinate; NaN if any is. ode45 tolerates
/// rtol × max(|y₀|, |y₁|, atol/rtol), otherwise it is atol + rtol × max(|y₀|, |y₁|).
struct ErrorRatio {
  double value = 0;
  int dof = -1;
};
ErrorRatio error_ratio(const StepOptions& options, const State& state, double h, const Stages& k) {
  const double rtol = options.relative_tolerance, atol = options.absolute_tolerance;
  ErrorRatio worst;
  const auto compare = [&](std::span<const VecX> slope, const VecX& y0, const VecX& y1,
                           bool of_coordinates) {
    for (Eigen::Index n = 0; n < y0.size(); ++n) {
      double error = 0;
      for (size_t i = 0; i < kStages; ++i) error += tableau::e[i] * slope[i][n];
      const double y = rtol * std::max(std::abs(y0[n]), std::abs(y1[n]));
      const double ratio =
          std::abs(h * error) / (options.ode45_rules ? std::max(y, atol) : atol + y);
      if (!(ratio <= worst.value) && !std::isnan(worst.value))
        worst = {ratio, of_coordinates ? static_cast<int>(n) : -1};
    }
  };
  compare(k.v, state.q, k.q, true);
  compare(k.a, state.qdot, k.v[kStages - 1], true);
  compare(k.zdot, state.z, k.z, false);
  return worst;
}

/// MATLAB's first step: the length over which the fastest entry changes by 0.8 rtol^{1/5} of
/// itself.
double first_step_length(const StepOptions& options, const State& state, const Stages& k) {
  const double threshold = options.absolute_tolerance / options.relative_tolerance;
  double rate = 0;
  for (Eigen::Index n = 0; n < state.q.size(); ++n) {
    rate = std::max(rate, std::abs(k.v[0][n]) / std::max(std::abs(state.q[n]), threshold));
    rate = std::max(rate, std::abs(k.a[0][n]) / std::max(std::abs(state.qdot[n]), threshold));
  }
  for (Eigen::Index n = 0; n < state.z.size(); ++n)
    rate = std::max(rate, std::abs(k.zdot[0][n]) / std::max(std::abs(state.z[n]), threshold));
  return rate > 0 ? 0.8 * std::pow(options.relative_tolerance, 0.2) / rate
                  : std::numeric_limits<double>::infinity();
}

/// Factor of the step (≥ 1 or slightly less) after one with this error.
double growth(const StepOptions& options, double ratio) {
  const double safety = options.ode45_rules ? 0.8 : 0.9;
  return ratio > 0 ? std::min(5.0, safety * std::pow(ratio, -0.2)) : 5.0;
}

/// Factor of the step after a failure. Not finite: the step left the region where the
/// equations are meaningful.
double shrinkage(const StepOptions& options, double ratio, int failures) {
  if (!std::isfinite(ratio)) return 0.1;
  if (options.ode45_rules && failures > 1) return 0.5;
  return std::max(0.1, growth(options, ratio));
}

void fill(const State& state, double h, const Stages& k, DenseOutput& dense) {
  dense.t = state.t;
  dense.h = h;
  const auto interpolate = [h](std::span<const VecX> slope, const VecX& y0, const VecX& y1,
                               MatX& out) {
    out.resize(y0.size(), 5);
    out.col(0) = y0;
    out.col(1) = y1 - y0;
    out.col(2) = h * slope[0] - out.col(1);
    out.col(3) = out.col(1) - h * slope[kStages - 1] - out.col(2);
    out.col(4).setZero();
    for (size_t i = 0; i < kStages; ++i) out.col(4) += (h * tableau::d[i]) * slope[i];
  };
  interpolate(k.v, state.q, k.q, dense.q_coefficients);
  interpolate(k.a, state.qdot, k.v[kStages - 1], dense.qdot_coefficients);
  interpolate(k.zdot, state.z, k.z, dense.z_coefficients);
}

/// The end of the step: t + h, or an earlier jump of the forces.
struct StepLimit {
  double t;
  bool jump;
};
StepLimit next_limit(const StepContext& s) {
  const double t = s.state.t, end = t + s.h;
  if (s.h < 0) {
    const double last = last_jump(s, t - hair(t, s.h));
    return last >= end ? StepLimit{last, true} : StepLimit{end, false};
  }
  const double next = next_jump(s, t + hair(t, s.h));
  return next <= end ? StepLimit{next, true} : StepLimit{end, false};
}

/// `jumps`: at the end, forces or the state.
void remember(const StepContext& s, double h, double t, double h_next, bool jumps,
              const Stages& k) {
  State& state = s.state;
  state.t = t;
  state.q = k.q;
  state.qdot = k.v.back();
  state.z = k.z;
  StepMemory& memory = state.memory;
  memory.qddot = k.a.back();
  memory.zdot = k.zdot.back();
  memory.power = k.power.back();
  memory.h_next = h_next;
  memory.steps = jumps ? 0 : memory.steps + 1;
  end_step(s);
  seal(Integrator::dopri5, h, state);
}

void check(const StepOptions& options) {
  if (!(options.relative_tolerance > 0) || !(options.absolute_tolerance > 0))
    throw Error("dopri5", "has a tolerance that is not positive",
                "give relative and absolute tolerances > 0");
}

}  // namespace

void DenseOutput::evaluate(double time, State& out) const {
  const double s = (time - t) / h;
  const auto value = [s](const MatX& r, VecX& y) {
    y = r.col(0) + s * (r.col(1) + (1 - s) * (r.col(2) + s * (r.col(3) + (1 - s) * r.col(4))));
  };
  out.t = time;
  value(q_coefficients, out.q);
  value(qdot_coefficients, out.qdot);
  value(z_coefficients, out.z);
}

namespace {

StepReport take_step(const StepContext& s, DenseOutput* dense) {
  const StepOptions& options = s.options;
  State& state = s.state;
  const double h = s.h;
  check(options);
  Stages k(s);
  run_first_stage(s, k);

  const double infinity = std::numeric_limits<double>::infinity();
  const double longest = options.largest_step > 0 ? options.largest_step : infinity;
  const double shortest =
      16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(state.t), std::abs(h));
  const double direction = h > 0 ? 1 : -1;
  const StepLimit limit = next_limit(s);
  StepMemory& memory = state.memory;
  double wanted = memory.h_next > 0 ? memory.h_next : first_step_length(options, state, k);
  StepReport report;
  for (;;) {
    wanted = std::min(wanted, longest);
    // Within a tenth of the limit the step is stretched to it, so that no tiny step remains.
    const bool reaches = 1.1 * wanted >= std::abs(limit.t - state.t);
    report.h = reaches ? limit.t - state.t : direction * wanted;
    const bool jumps = reaches && limit.jump;
    run_stages(s, report.h, jumps, k);
    const ErrorRatio error = error_ratio(options, state, report.h, k);
    if (error.value <= 1) {
      if (dense) fill(state, report.h, k, *dense);
      const double t = reaches ? limit.t : state.t + report.h;
      if (!finish(s, jumps ? just_before(t, report.h) : t, Directions::borrowed, k.q, k.v.back(),
                  report))
        return report;
      // A step cut short by the limit does not discredit the length that was wanted.
      const double grown = growth(options, error.value) * std::abs(report.h);
      if (report.rejected == 0) wanted = reaches ? std::max(grown, wanted) : grown;
      for (size_t i = 0; i + 1 < kStages; ++i)
        report.work += report.h * tableau::a[6][i] * k.power[i];
      remember(s, report.h, t, wanted, jumps || report.projected, k);
      return report;
    }
    ++report.rejected;
    wanted = std::abs(report.h) * shrinkage(options, error.value, report.rejected);
    if (wanted < shortest) {
      report.status =
          std::isfinite(error.value) ? StepStatus::step_underflow : StepStatus::diverged;
      report.worst_dof = error.dof;
      return report;
    }
  }
}

}  // namespace

StepReport dopri5(const StepContext& s) { return take_step(s, nullptr); }

StepReport step_dopri5(const StepContext& s, DenseOutput* dense) {
  prepare(s.system, Integrator::dopri5, s.state, s.ws);
  return take_step(s, dense);
}

}  // namespace sinew
