#include "sinew/integrate/unilateral_step.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/integrate/joint_friction_step.hpp"
#include "sinew/integrate/newton.hpp"

// q̇₁ = q̇_free + W x, W the response to impulses along the rows R with the constraints held:
//     rates  u = R q̇₁ + ∂c/∂t = A x + R q̇_free + ∂c/∂t,   A = R W.
// ImpulseSolver finds x. The lower bound of u, for a gap c at the start of the step:
//     with projection      −c/h − h Ġq̇ (half of it where it opens the gap)
//     without              0 + β |c|, overlapping ones only (the reference's rule)
//     and with restitution (R q̇_free − R q̇₀) − e R q̇₀: the free motion that follows the impact.
// Only rows that would be violated take part; the solution is checked against all others.

namespace sinew {
namespace {

constexpr double kMargin = 1e-4;      // contacts nearer than this are always looked at [m]
constexpr double kTouching = 1e-9;    // [m, rad]
constexpr double kViolation = 1e-12;  // violation of a rate, relative to its terms
constexpr double kGain = 1e-3;        // gain of energy by impulses
constexpr double kSettled = 1e-10;    // change of the velocity by a round of bearing loads
constexpr int kBearingIterations = 200;
constexpr int kRelaxAfter = 15;  // rounds after which bounds go half of the way
constexpr int kRounds = 50;      // rounds of adding rows
// Part of a row's response that the constraints must leave for its impulses to have an effect.
constexpr double kHeld = 1e-10;

bool fail_at(const UnilateralSource& source, StepReport& report) {
  report.status = StepStatus::contact_failed;
  report.worst_source = source;
  return false;
}

void update_targets(const StepOptions& options, double h, const State& state, const VecX& qdot,
                    double hardness, UnilateralWorkspace& u) {
  const ConstraintRows& rows = u.rows.rows;
  const auto count = static_cast<Eigen::Index>(u.rows.list.size());
  if (u.free.size() < u.rows.count) u.free.resize(u.rows.count);
  if (u.target.size() < count) u.target.resize(count);
  for (int r = 0; r < u.rows.count; ++r) u.free[r] = u.Gt().col(r).dot(qdot) + rows.rate[r];
  for (Eigen::Index k = 0; k < count; ++k) {
    const Unilateral& row = u.rows.list[static_cast<size_t>(k)];
    if (!options.projection) {
      u.target[k] = row.gap < 0 ? -options.baumgarte.implicit * row.gap
                                : -std::numeric_limits<double>::infinity();
    } else {
      const double curvature = h <= row.horizon ? hardness * rows.Gdot_qdot[k] : 0;
      u.target[k] = -std::max(row.gap, 0.0) / h - (curvature > 0 ? 0.5 : 1.0) * h * curvature;
    }
    const double before = u.Gt().col(k).dot(state.qdot) + rows.rate[k];
    if (row.restitution > 0 && before < 0 && u.free[k] < u.target[k])
      u.target[k] = std::max(u.target[k], u.free[k] - (1 + hardness * row.restitution) * before);
  }
}

/// x ← H⁻¹ x, H symmetric: as the matrix of the step, after parts are eliminated.
void solve_symmetric(const NodeMatrix& matrix, const UnilateralWorkspace& u, VecRef x) {
  matrix.reduce(x);
  u.ldlt.solve_in_place(x.head(u.ldlt.size()));
  matrix.extend(x);
}

/// Factors of the symmetric part of the matrix, or of M if that is not positive definite, and of
/// G H⁻¹Gᵀ. False if nothing is finite.
bool factor(const System& system, Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  const ConstraintWorkspace& c = ws.constraints;
  const NodeMatrix& matrix = ws.newton.matrix;
  u.H = 0.5 * (matrix.reduced() + matrix.reduced().transpose());
  if (!u.ldlt.factor(u.H) && !(factor_newton_mass(system, ws) && u.ldlt.factor(matrix.reduced())))
    return false;
  const Eigen::Index m = c.rows.size();
  if (u.S.rows() != m) {
    u.S.resize(m, m);
    u.solver.resize(static_cast<int>(m));
  }
  u.W_G = c.rows.Gt();
  for (Eigen::Index j = 0; j < m; ++j) {
    solve_symmetric(matrix, u, u.W_G.col(j));
    for (Eigen::Index i = 0; i < m; ++i) u.S(i, j) = c.rows.Gt().col(i).dot(u.W_G.col(j));
  }
  return u.solver.factor(u.S, c.every, true) || u.solver.factor_dependent(u.S, u.S, c.every, true);
}

/// Row r becomes the next unknown.
void add_unknown(int r, double target, Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  u.W.col(r) = u.Gt().col(r);
  solve_symmetric(ws.newton.matrix, u, u.W.col(r));
  const double unconstrained = u.Gt().col(r).dot(u.W.col(r));
  u.Y.col(r).noalias() = ws.constraints.rows.Gt().transpose() * u.W.col(r);
  u.solver.solve_in_place(u.Y.col(r));
  u.W.col(r).noalias() -= u.W_G * u.Y.col(r);
  if (u.Gt().col(r).dot(u.W.col(r)) <= kHeld * unconstrained) {
    u.W.col(r).setZero();
    u.Y.col(r).setZero();
  }
  const auto i = static_cast<Eigen::Index>(u.order.size());
  u.order.push_back(r);
  u.b[i] = u.free[r] - target;
  u.x[i] = 0;
  for (Eigen::Index j = 0; j <= i; ++j)
    u.A(i, j) = u.A(j, i) = u.Gt().col(u.order[static_cast<size_t>(j)]).dot(u.W.col(r));
}

void select(int k, Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  const Unilateral& row = u.rows.list[static_cast<size_t>(k)];
  const auto first = static_cast<int>(u.order.size());
  u.selected[static_cast<size_t>(k)] = 1;
  u.normals.push_back({first, row.tangent < 0 ? -1 : first + 1, row.friction});
  add_unknown(k, u.target[k], ws);
  if (row.tangent < 0) return;
  add_unknown(row.tangent, 0, ws);
  add_unknown(row.tangent + 1, 0, ws);
}

/// Rates of the row at the present impulses, and the size of what they are made of.
struct Rate {
  double value, terms;
};
Rate rate(int r, const UnilateralWorkspace& u) {
  Rate out{u.free[r], std::abs(u.free[r])};
  const auto G = u.Gt().col(r);
  for (size_t i = 0; i < u.order.size(); ++i) {
    const double change = G.dot(u.W.col(u.order[i])) * u.x[static_cast<Eigen::Index>(i)];
    out.value += change;
    out.terms += std::abs(change);
  }
  return out;
}

/// Selects rows violated at the present impulses; true if there was any.
bool select_violated(Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  std::vector<int>& joining = u.joining;
  joining.clear();
  for (size_t k = 0; k < u.rows.list.size(); ++k) {
    if (u.selected[k]) continue;
    const auto r = static_cast<int>(k);
    const Rate now = rate(r, u);
    if (now.value < u.target[r] - kViolation * now.terms) joining.push_back(r);
  }
  for (const int k : joining) select(k, ws);
  return !joining.empty();
}

/// Selects at once the rows likely to be needed: violated and touching ones, so that the
/// contacts of a stack do not join one after the other.
void select_near(Workspace& ws) {
  const UnilateralWorkspace& u = ws.unilateral;
  for (size_t k = 0; k < u.rows.list.size(); ++k) {
    const auto r = static_cast<int>(k);
    const bool touches = u.rows.list[k].gap < kTouching && std::isfinite(u.target[r]);
    if (u.free[r] < u.target[r] || touches) select(r, ws);
  }
}

void reserve(Eigen::Index n, UnilateralWorkspace& u, const ConstraintWorkspace& c) {
  const Eigen::Index m = u.rows.rows.size();
  if (u.A.rows() < m || u.W.cols() < m || u.b.size() < m) {
    u.A.resize(m, m);
    u.W.resize(n, m);
    u.b.resize(m);
    u.x.resize(m);
  }
  if (u.Y.cols() < m) u.Y.resize(c.rows.size(), m);
  u.selected.assign(u.rows.list.size(), 0);
  u.order.clear();
  u.normals.clear();
}

/// Work of the impulses [J]: that of the mean of the rates at the start and at the end of the step,
/// by which they change the kinetic energy beside the forces.
struct Work {
  double done = 0;
  /// The work if all forces of the step came before, or all after, the impulses,
  /// whichever is less: positive only where the impulses themselves make energy.
  double gain = 0;
  double size = 0;  ///< size of the terms
};
Work work(const VecX& qdot0, const UnilateralWorkspace& u) {
  Work out;
  double before = 0, after = 0;
  for (size_t i = 0; i < u.order.size(); ++i) {
    const int r = u.order[i];
    const double x = u.x[static_cast<Eigen::Index>(i)], end = rate(r, u).value;
    const double start = u.Gt().col(r).dot(qdot0) + u.rows.rows.rate[r];
    out.done += 0.5 * x * (start + end);
    before += 0.5 * x * (u.free[r] + end);
    after += 0.5 * x * (2 * start + end - u.free[r]);
    out.size += std::abs(x * start) + std::abs(x * u.free[r]);
  }
  out.gain = std::min(before, after);
  return out;
}

bool solve(Workspace& ws, StepReport& report) {
  UnilateralWorkspace& u = ws.unilateral;
  for (int round = 0; round < kRounds; ++round) {
    const auto m = static_cast<Eigen::Index>(u.order.size());
    if (m > 0) {
      const bool solved =
          u.impulses.solve(u.A.topLeftCorner(m, m), u.b.head(m), u.normals, u.bounded, u.x.head(m));
      report.contact_residual = u.impulses.residual();
      if (!solved) {
        int r = std::max(0, u.impulses.worst_row());
        for (const ImpulseSolver::Normal& normal : u.normals)
          if (normal.row <= r)
            report.worst_source =
                u.rows.list[static_cast<size_t>(u.order[static_cast<size_t>(normal.row)])].source;
        return fail_at(report.worst_source, report);
      }
    }
    if (!select_violated(ws)) return true;
  }
  return fail_at(u.rows.list[static_cast<size_t>(u.joining[0])].source, report);
}

/// u.qdot ← q̇_free + W x.
void update_end(const VecX& qdot, UnilateralWorkspace& u) {
  u.qdot = qdot;
  for (size_t i = 0; i < u.order.size(); ++i)
    u.qdot.noalias() += u.x[static_cast<Eigen::Index>(i)] * u.W.col(u.order[i]);
}

/// Impulses whose friction in bearings has the bounds that they themselves lead to. Settled when
/// velocities are: bounds are not unique if loads are not.
bool solve_with_bearings(const System& system, double h, const State& state, const VecX& qdot,
                         Workspace& ws, StepReport& report) {
  UnilateralWorkspace& u = ws.unilateral;
  u.product.resize(qdot.size());
  const std::vector<JointFriction>& bearings = system.unilaterals().bearings;
  const bool loads_matter = std::any_of(bearings.begin(), bearings.end(),
                                        [](const JointFriction& b) { return b.friction != 0; });
  const auto norm = [&](const VecX& v) {
    ws.newton.matrix.multiply(v, u.product);
    return std::sqrt(std::max(0.0, v.dot(u.product)));
  };
  for (int k = 0; k < kBearingIterations; ++k) {
    if (!solve(ws, report)) return false;
    update_end(qdot, u);
    if (!loads_matter) return true;
    if (k > 0) {
      u.last -= u.qdot;
      u.difference = qdot - state.qdot;
      if (norm(u.last) <= kSettled * (norm(u.qdot) + norm(u.difference))) return true;
    }
    u.last = u.qdot;
    update_bearing_bounds(system, h, state, k < kRelaxAfter ? 1 : 0.5, ws);
  }
  return fail_at({.bearing = 0}, report);
}

/// The impulses as forces.
void note_forces(double h, UnilateralWorkspace& u) {
  const size_t limits = u.rows.list.size() - u.rows.found.size();
  for (const ImpulseSolver::Normal& normal : u.normals) {
    const auto k = static_cast<size_t>(u.order[static_cast<size_t>(normal.row)]);
    if (k < limits) continue;
    const auto& [pair, contact] = u.rows.found[k - limits];
    Vec3 f = u.x[normal.row] * contact.n;
    if (normal.tangent >= 0)
      for (int t = 0; t < 2; ++t)
        f += u.x[normal.tangent + t] * u.rows.list[k].sliding[static_cast<size_t>(t)];
    u.forces.push_back({pair, 0.5 * (contact.x_A + contact.x_B), f / h});
  }
}

}  // namespace

bool solve_impulses(const StepContext& s, VecX& qdot, StepReport& report) {
  const System& system = s.system;
  const StepOptions& options = s.options;
  const State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  UnilateralWorkspace& u = ws.unilateral;
  ConstraintWorkspace& c = ws.constraints;
  // Gaps are those at the start, but links may stand where time will have driven them.
  if (ws.border->drives()) update_kinematics(system, state, ws);
  update_unilaterals(system, {state.t + h, state.q, state.qdot},
                     {.margin = kMargin, .h = h, .friction = true}, ws);

  u.forces.clear();
  u.dlambda.setZero(c.rows.size());
  bool factored = false;
  // Simultaneous impacts with different restitutions can create energy, as can fast-turning
  // normals: then there is less of both. Without them impulses only take energy.
  for (const double hardness : {1.0, 0.5, 0.25, 0.0}) {
    update_targets(options, h, state, qdot, hardness, u);
    size_t wanted = u.rows.bearing_rows.size() + u.rows.holds.size();  // may not be zero
    for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(u.rows.list.size()); ++k)
      wanted += u.free[k] < u.target[k];
    if (wanted == 0) return true;
    if (!factored && !factor(system, ws)) return fail_at({}, report);
    factored = true;
    reserve(qdot.size(), u, c);
    reset_bearings(h, u);
    for (const auto& row : u.rows.bearing_rows) add_unknown(row.row, 0, ws);
    for (size_t k = 0; k < u.rows.holds.size(); ++k)
      add_unknown(u.rows.first_hold + static_cast<int>(k), 0, ws);
    select_near(ws);
    if (!solve_with_bearings(system, h, state, qdot, ws, report)) return false;
    const Work of_impulses = work(state.qdot, u);
    if (hardness > 0 && options.projection && of_impulses.gain > kGain * of_impulses.size) continue;
    report.work += of_impulses.done;
    break;
  }
  qdot = u.qdot;
  note_forces(h, u);
  for (size_t i = 0; i < u.order.size(); ++i)
    u.dlambda.noalias() += u.x[static_cast<Eigen::Index>(i)] / h * u.Y.col(u.order[i]);
  c.lambda += u.dlambda;
  return true;
}

}  // namespace sinew
