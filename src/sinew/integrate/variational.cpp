#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/methods.hpp"
#include "sinew/integrate/newton.hpp"

// The trapezoidal rule on Hamilton's equations, written for (q, q̇). With p = M q̇ and
// L_q = ∂L/∂q + forces without potential,
//     q₁ = q₀ + (h/2) (q̇₀ + q̇₁)
//     p(q₁, q̇₁) − (h/2) L_q(t₁, q₁, q̇₁) = b,   b = p(q₀, q̇₀) + (h/2) L_q(t₀, q₀, q̇₀).
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
constexpr int kIterations = 10;       // of the cheap kind; then, if they do not contract,
constexpr int kStiffIterations = 50;  // with the stiffness and damping in the matrix
// Solved when what is left to correct is this fraction of |q̇|: over a million steps such errors add
// up to less than the energy error of the rule itself, even if they were all of one sign.
constexpr double kTolerance = 1e-10;
// What an iteration is taken to gain before that has been seen.
constexpr double kFirstContraction = 1e-2;

struct Unknowns {
  VecX &q, &qdot;         // at t + h
  VecX &p, &L_q, &delta;  // there; and what is missing, then the correction of q̇
};

void evaluate(const System& system, const State& state, double h, const VecX& b, const Unknowns& x,
              Workspace& ws) {
  x.q = state.q + (h / 2) * (state.qdot + x.qdot);
  momentum_and_force(system, state.t + h, x.q, x.qdot, ws, x.p, x.L_q);
  x.delta = b - x.p + (h / 2) * x.L_q;
}

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
    return contraction < 0.5 ? Verdict::go_on : Verdict::hopeless;  // NaN is hopeless
  }

 private:
  double speed_, floor_;
  double last_ = 0;
};

bool solve(const System& system, const State& state, double h, const VecX& b, const Unknowns& x,
           Workspace& ws, StepReport& report) {
  Iteration iteration(state, h);
  for (int k = 0; k < kIterations; ++k) {
    evaluate(system, state, h, b, x, ws);
    if (k == 0) factor_mass_matrix(system, ws);
    solve_mass_matrix(system, ws, x.delta, x.delta);
    const auto verdict = iteration.correct(x, report);
    if (verdict == Iteration::Verdict::solved) return true;
    if (verdict == Iteration::Verdict::hopeless) break;
  }
  return false;
}

/// The same with M + (h/2) ∂g/∂q̇ + (h²/4) ∂g/∂q, g = M q̈ − f, which is right to first order in h
/// and holds all of the stiffness and damping: for forces too stiff for the matrix M.
bool solve_stiff(const System& system, const State& state, double h, const VecX& b,
                 const Unknowns& x, Workspace& ws, StepReport& report) {
  Workspace::Newton& newton = newton_workspace(system, ws);
  Iteration iteration(state, h);
  x.qdot = state.qdot;
  for (int k = 0; k < kStiffIterations; ++k) {
    x.q = state.q + (h / 2) * (state.qdot + x.qdot);
    newton.trial = (x.qdot - state.qdot) / h;
    linearize(system, state.t + h, x.q, x.qdot, newton.trial, JacobianKind::full, ws, newton.g,
              newton.at);
    newton.H = newton.at.M + (h / 2) * newton.at.dg_dqdot + (h * h / 4) * newton.at.dg_dq;
    if (!newton.lu.factor(newton.H)) return fail(StepStatus::singular, newton.g, report);
    evaluate(system, state, h, b, x, ws);
    newton.lu.solve_in_place(x.delta);
    if (iteration.correct(x, report) == Iteration::Verdict::solved) return true;
  }
  return fail(StepStatus::newton_failed, x.delta, report);
}

/// Extrapolates the polynomial through the past velocities: the sum of their backward differences.
void predict(const StepMemory& memory, VecX& qdot) {
  const int order = std::min(memory.steps, kPredictorOrder);
  for (int k = 1; k <= order; ++k) qdot += memory.differences.col(k);
}

/// Backward differences at the new time, before `steps` counts the step: with m the order of the
/// prediction and e = q̇₁ − prediction, ∇ᵏ₁ = Σ_{k ≤ j ≤ m} ∇ʲ₀ + e, and ∇ᵐ⁺¹₁ = e.
void update_differences(const VecX& qdot_0, const VecX& qdot_1, StepMemory& memory) {
  MatX& D = memory.differences;
  const int m = std::min(memory.steps, kPredictorOrder);
  D.resize(qdot_0.size(), kPredictorOrder + 1);
  if (memory.steps == 0) D.setZero();
  D.col(0) = qdot_0;
  for (Eigen::Index n = 0; n < D.rows(); ++n) {
    double sum = qdot_1[n];
    for (int k = 0; k <= m; ++k) sum -= D(n, k);
    if (m < kPredictorOrder) D(n, m + 1) = sum;
    for (int k = m; k >= 0; --k) D(n, k) = sum += D(n, k);
  }
}

}  // namespace

StepReport variational(const System& system, double h, State& state, Workspace& ws) {
  const std::span<VecX> stage = stages(system, 6, ws);
  const Unknowns x{stage[0], stage[1], stage[2], stage[3], stage[4]};
  VecX& b = stage[5];
  StepMemory& memory = state.memory;
  StepReport report;
  report.h = h;

  const bool continues = memory.steps > 0 && memory.h == h;
  double power = memory.power;
  if (continues) {
    b = memory.momentum;
  } else {
    momentum_and_force(system, state.t, state.q, state.qdot, ws, x.p, x.L_q);
    b = x.p + (h / 2) * x.L_q;
    power = ws.forces.power;
  }
  x.qdot = state.qdot;
  if (continues) predict(memory, x.qdot);
  if (!solve(system, state, h, b, x, ws, report) &&
      !solve_stiff(system, state, h, b, x, ws, report))
    return report;
  x.q = state.q + (h / 2) * (state.qdot + x.qdot);
  if (!is_sane(x.q, x.qdot, report)) return report;
  report.work = h / 2 * (power + ws.forces.power);

  if (!continues) memory.steps = 0;
  update_differences(state.qdot, x.qdot, memory);
  ++memory.steps;
  memory.momentum = b + h * x.L_q;
  memory.power = ws.forces.power;
  state.q = x.q;
  state.qdot = x.qdot;
  state.t += h;
  seal(Integrator::variational, h, state);
  return report;
}

}  // namespace sinew
