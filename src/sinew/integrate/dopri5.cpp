#include "sinew/integrate/dopri5.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/step_control.hpp"

// The 5(4) pair of Dormand and Prince on y = (q, q̇, z), ẏ = (q̇, q̈, ż).

namespace sinew {
namespace {

constexpr size_t kStages = 7;
constexpr int kOrder = 5;  // of the error's fall
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

/// The stages in the workspace: q̇, q̈ and ż of each, q and z of the latest, and estimated errors.
struct Stages {
  explicit Stages(const StepContext& s)
      : Stages(stages(s, 3 + 2 * kStages), internal_stages(s, 2 + kStages)) {}
  Stages(std::span<VecX> room, std::span<VecX> internal)
      : q(room[0]),
        error_q(room[1]),
        error_qdot(room[2]),
        z(internal[0]),
        error_z(internal[1]),
        v(room.subspan(3, kStages)),
        a(room.subspan(3 + kStages, kStages)),
        zdot(internal.subspan(2, kStages)) {}
  VecX &q, &error_q, &error_qdot, &z, &error_z;
  std::span<VecX> v, a, zdot;
  std::array<double, kStages> power{};
};

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

/// MATLAB's first step: the length over which the fastest entry changes by 0.8 rtol^{1/5} of
/// itself.
double matlab_first_length(const StepOptions& options, const State& state, const Stages& k) {
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

class Method final : public EstimatingMethod {
 public:
  Method(const StepContext& s, DenseOutput* dense) : s_(s), k_(s), dense_(dense) {
    run_first_stage(s, k_);
  }
  double rate() override { return largest_rate(s_, k_.a[0], k_.zdot[0]); }
  double first_length(const StepContext& s, int order) override {
    return s.options.accuracy > 0 ? EstimatingMethod::first_length(s, order)
                                  : matlab_first_length(s.options, s.state, k_);
  }
  std::optional<ErrorRatio> attempt(double h, bool jumps, StepReport&) override {
    run_stages(s_, h, jumps, k_);
    const StepVectors error{k_.error_q, k_.error_qdot, k_.error_z};
    const auto estimate = [h](std::span<const VecX> slope, VecX& out) {
      out.setZero();
      for (size_t i = 0; i < kStages; ++i) out += tableau::e[i] * slope[i];
      out *= h;
    };
    estimate(k_.v, error.q);
    estimate(k_.a, error.qdot);
    estimate(k_.zdot, error.z);
    const ErrorRatio out = error_ratio(s_, error, end());
    // Before the end is moved to the constraints.
    if (dense_ && out.value <= 1) fill(s_.state, h, k_, *dense_);
    return out;
  }
  StepVectors end() override { return {k_.q, k_.v.back(), k_.z}; }
  void accept(double h, double t, double h_next, bool jumps, StepReport& report) override {
    for (size_t i = 0; i + 1 < kStages; ++i) report.work += h * tableau::a[6][i] * k_.power[i];
    remember(s_, h, t, h_next, jumps, k_);
  }

 private:
  const StepContext& s_;
  Stages k_;
  DenseOutput* dense_;
};

StepReport take_step(const StepContext& s, DenseOutput* dense) {
  check(s.options);
  Method method(s, dense);
  return control_step(s, kOrder, method);
}

}  // namespace

StepReport dopri5(const StepContext& s) { return take_step(s, nullptr); }

StepReport step_dopri5(const StepContext& s, DenseOutput* dense) {
  const double gained = prepare(s.system, s.options, s.h, s.state, s.ws);
  StepReport report = take_step(s, dense);
  report.work += gained;
  return report;
}

}  // namespace sinew
