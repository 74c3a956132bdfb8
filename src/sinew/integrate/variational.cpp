#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

// The trapezoidal rule on Hamilton's equations, written for (q, q̇). With p = M q̇ and
// L_q = ∂L/∂q + forces without potential,
//     q₁ = q₀ + (h/2) (q̇₀ + q̇₁)
//     p(q₁, q̇₁) − (h/2) L_q(t₁, q₁, q̇₁) = b,   b = p(q₀, q̇₀) + (h/2) L_q(t₀, q₀, q̇₀).
// The internal state z of muscles obeys the same rule, z₁ = z₀ + (h/2) (ż₀ + ż₁).
// Second order, symmetric, and conjugate to the midpoint variational integrator (the discrete
// Euler–Lagrange equations of L_d = h L((q₀+q₁)/2, (q₁−q₀)/h)): symplectic after a fixed change of
// variables of size h, so that the energy error stays bounded; momenta of cyclic coordinates are
// kept exactly. docs/theory/integrators.md has the proof.
//
// Cost. The equation for q̇₁ is solved by Newton's method with the matrix M(q₁) alone, which the
// articulated recursion factors in O(n); what it leaves out is O(h). Past velocities, kept as
// backward differences, predict q̇₁ so well that one or two iterations do. The next b is free: b + h
// L_q.

namespace sinew {
namespace {

constexpr int kPredictorOrder = 5;
constexpr int kIterations = 20;       // cheap iterations; then, if they do not contract,
constexpr int kStiffIterations = 50;  // those with stiffness and damping in the matrix
// Solved when what is left to correct is this fraction of |q̇|: over a million steps such errors add
// up to less than the energy error of the rule itself, even if they were all of one sign.
constexpr double kTolerance = 1e-10;
// Assumed gain of an iteration before it has been measured.
constexpr double kFirstContraction = 1e-2;

struct Unknowns {
  VecX &q, &qdot;         // at t + h
  VecX &p, &L_q, &delta;  // there; and the residual, then the correction of q̇
  VecX& z;                // start of the stage of the internal state
};

/// Adds up the corrections of a quasi-Newton iteration and says when to stop.
class Iteration {
 public:
  enum class Verdict { go_on, solved, hopeless };

  Iteration(const State& state, double h)
      : speed_(state.qdot.lpNorm<Eigen::Infinity>()),
        // At rest: a correction that cannot move q by a rounding.
        floor_(std::numeric_limits<double>::epsilon() *
               std::max(1.0, state.q.lpNorm<Eigen::Infinity>()) / std::abs(h)) {}

  Verdict correct(const Unknowns& x, StepReport& report) {
    x.qdot += x.delta;
    ++report.newton_iterations;
    const double size = x.delta.lpNorm<Eigen::Infinity>();
    const double contraction = last_ > 0 ? size / last_ : kFirstContraction;
    const double speed = std::max(speed_, x.qdot.lpNorm<Eigen::Infinity>());
    const double left = size * std::min(contraction, 1.0);
    last_ = size;
    report.newton_residual = speed > 0 ? left / speed : 0;
    if (left <= std::max(kTolerance * speed, floor_)) return Verdict::solved;
    // Single corrections of a contracting iteration may grow a little; NaN cannot recover.
    return contraction < 2 ? Verdict::go_on : Verdict::hopeless;
  }

 private:
  double speed_, floor_;
  double last_ = 0;
};

bool solve(const StepContext& s, const VecX& b, const Unknowns& x, StepReport& report) {
  const State& state = s.state;
  const double h = s.h;
  Iteration iteration(state, h);
  const At end = s.at(state.t + h, x.q, x.qdot, x.z, h / 2);
  for (int k = 0; k < kIterations; ++k) {
    x.q = state.q + (h / 2) * (state.qdot + x.qdot);
    momentum_correction(s.system, end, b, h / 2, k == 0, s.ws, x.L_q, x.delta);
    const auto verdict = iteration.correct(x, report);
    if (verdict == Iteration::Verdict::solved) return true;
    if (verdict == Iteration::Verdict::hopeless) break;
  }
  return false;
}

/// The same with M + (h/2) ∂g/∂q̇ + (h²/4) ∂g/∂q, g = M q̈ − f, which is right to first order in h
/// and holds all of the stiffness and damping: for forces too stiff for the matrix M.
bool solve_stiff(const StepContext& s, const VecX& b, const Unknowns& x, StepReport& report) {
  const State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  Workspace::Newton& newton = newton_workspace(s);
  Iteration iteration(state, h);
  const At end = s.at(state.t + h, x.q, x.qdot, x.z, h / 2);
  x.qdot = state.qdot;
  for (int k = 0; k < kStiffIterations; ++k) {
    x.q = state.q + (h / 2) * (state.qdot + x.qdot);
    newton.trial = (x.qdot - state.qdot) / h;
    linearize(s.system, end, newton.trial, StiffnessModel::exact, ws, newton.g, newton.at);
    if (!factor_newton_matrix(s.system, h / 2, ws))
      return fail(StepStatus::singular, newton.g, report);
    momentum_and_force(s.system, end, ws, x.p, x.L_q);
    x.delta = b - x.p + (h / 2) * x.L_q;
    newton.matrix.solve_in_place(x.delta);
    if (iteration.correct(x, report) == Iteration::Verdict::solved) return true;
  }
  return fail(StepStatus::newton_failed, x.delta, report);
}

/// Extrapolates the polynomial through the past velocities: the sum of their backward differences.
/// Differences above the order reached so far are zero.
void predict(const StepMemory& memory, VecX& qdot) {
  for (Eigen::Index n = 0; n < qdot.size(); ++n) {
    const double* D = memory.differences.col(n).data();
    double sum = 0;
    for (int k = kPredictorOrder; k > 0; --k) sum += D[k];
    qdot[n] += sum;
  }
}

/// Backward differences at the new time: with e = q̇₁ − prediction and m the order of that,
/// ∇ᵏ₁ = Σ_{k ≤ j ≤ m} ∇ʲ₀ + e for k ≤ m, and ∇ᵐ⁺¹₁ = e.
void update_differences(const VecX& qdot, int steps, MatX& differences) {
  const int m = std::min(steps, kPredictorOrder);
  for (Eigen::Index n = 0; n < qdot.size(); ++n) {
    double* D = differences.col(n).data();
    double sum = qdot[n];
    for (int k = 0; k <= m; ++k) sum -= D[k];
    if (m < kPredictorOrder) D[m + 1] = sum;
    for (int k = m; k > 0; --k) D[k] = sum += D[k];
    D[0] = qdot[n];
  }
}

void start_differences(const VecX& qdot, MatX& differences) {
  differences.resize(kPredictorOrder + 1, qdot.size());
  differences.setZero();
  differences.row(0) = qdot;
}

/// The power at a state, for the work: that of the forces in ws and, where time drives coordinates,
/// that of the drives, which accelerations tell. Writes over qddot.
double power_at(const StepContext& s, const At& at, VecX& qddot) {
  if (s.ws.border->drives()) forward_dynamics(s.system, at, s.ws, qddot);
  return s.ws.forces.power;
}

}  // namespace

StepReport variational(const StepContext& s) {
  if (!s.system.constraints().empty()) return constrained_variational(s);
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  const std::span<VecX> stage = stages(s, 6);
  const Unknowns x{stage[0], stage[1], stage[2], stage[3], stage[4], internal_stages(s, 1)[0]};
  VecX& b = stage[5];
  StepMemory& memory = state.memory;
  StepReport report;
  report.h = h;

  const bool continues = memory.steps > 0 && memory.h == h;
  double power = memory.power;
  if (continues) {
    b = memory.momentum;
    begin_trapezoid(s, nullptr, x.z);
  } else {
    const At start = s.start();
    momentum_and_force(s.system, start, ws, x.p, x.L_q);
    b = x.p + (h / 2) * x.L_q;
    begin_trapezoid(s, &start, x.z);
    power = power_at(s, start, x.delta);
  }
  x.qdot = state.qdot;
  if (continues) predict(memory, x.qdot);
  if (!solve(s, b, x, report) && !solve_stiff(s, b, x, report)) return report;
  x.q = state.q + (h / 2) * (state.qdot + x.qdot);
  if (!is_sane(x.q, x.qdot, report)) return report;
  const double end_power = power_at(s, s.at(state.t + h, x.q, x.qdot, x.z, h / 2), x.delta);
  report.work = h / 2 * (power + end_power);

  if (!continues) {
    memory.steps = 0;
    start_differences(state.qdot, memory.differences);
  }
  update_differences(x.qdot, memory.steps, memory.differences);
  ++memory.steps;
  memory.momentum = b + h * x.L_q;
  memory.power = end_power;
  end_trapezoid(s, x.z, x.q, x.qdot);
  accept(s, x.q, x.qdot);
  seal(Integrator::variational, h, state);
  return report;
}

}  // namespace sinew
