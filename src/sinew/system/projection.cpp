#include "sinew/system/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/system/position_tolerance.hpp"
#include "sinew/system/row_extent.hpp"

// One Newton step for positions: δq = −W (G W)⁻¹ g. For velocities the same, once: they are linear.
// With W = M⁻¹Gᵀ at the same q this is the shortest correction in the metric of M; any W near it
// still gives quadratic convergence, since G is that of the present q.

namespace sinew {
namespace {

constexpr double kRateLimit = 1e-9;
/// Residual that is left to the next step: a hundredth of the tolerance promised.
constexpr double kAnticipatedTolerance = 1e-11;
constexpr double kConflict = 1e-6;  // relative, for accelerations that contradict each other
constexpr int kIterations = 30;
constexpr int kAssemblyIterations = 200;
constexpr int kTrialsPerShift = 4;  // starts beside the default one, if that fails

/// Lengths and angles of the system, at least 1.
double size_of(const Workspace& ws, const VecX& q) {
  return ws.constraints.kinematics ? size_with_links(ws, q)
                                   : std::max(1.0, q.lpNorm<Eigen::Infinity>());
}

struct Worst {
  double value = 0;
  int row = -1;
};
/// Largest |x| over the active rows; a NaN is the largest of all.
Worst worst_of(const VecX& x, const std::vector<char>& active) {
  Worst out;
  for (Eigen::Index r = 0; r < x.size(); ++r)
    if (active[static_cast<size_t>(r)] && !(std::abs(x[r]) <= out.value)) {
      out = {std::abs(x[r]), static_cast<int>(r)};
      if (std::isnan(x[r])) break;
    }
  return out;
}

/// W and S at a state.
void refresh_directions(const System& system, const At& at, Workspace& ws) {
  factor_mass_matrix(system, at, ws);
  update_directions(system, ws);
}

/// Factors S = G W for the active rows, W from update_directions or borrowed. False if nothing is
/// finite.
bool factor(const std::vector<char>& active, bool borrowed, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  for (int i = 0; borrowed && i < c.rows.size(); ++i) update_product_row(i, c.rows.size(), c);
  if (c.solver.factor(c.S, active, !borrowed)) return true;
  if (!borrowed) c.S.triangularView<Eigen::StrictlyUpper>() = c.S.transpose();
  c.gram.noalias() = 0.5 * (c.S + c.S.transpose());
  return c.solver.factor_dependent(c.S, c.gram, active, !borrowed);
}

/// Whichever factors serve for the active rows. What is not borrowed is made at a state.
bool factor(const System& system, const At& at, const std::vector<char>& active, bool& borrowed,
            Workspace& ws) {
  if (!borrowed) {
    factor_mass_matrix(system, at, ws);
    if (!ws.mass_solver->factor_rows(ws)) update_directions(system, ws);
  }
  if (SaddleMatrix* const saddle = ws.saddle()) {
    if (saddle->refactor(ws.constraints.rows, active)) return true;
    refresh_directions(system, at, ws);  // some depend on others
    borrowed = false;
  }
  return factor(active, borrowed, ws);
}

/// x ← x − W S⁻¹ δ with these factors; δ, in ws.constraints, becomes the multipliers.
void correct(Workspace& ws, VecX& x) {
  ConstraintWorkspace& c = ws.constraints;
  if (SaddleMatrix* const saddle = ws.saddle()) return saddle->correct(x, c.delta);
  c.solver.solve_in_place(c.delta);
  move_along(c.W, c.delta, -1, x);
}

void residual_rates(const VecX& qdot, ConstraintWorkspace& c) {
  for (int r = 0; r < c.rows.size(); ++r) c.delta[r] = c.rows.rate[r] + c.rows.dot(r, qdot.data());
}

}  // namespace

ProjectionReport constraint_violation(const System& system, double t, const VecX& q,
                                      const VecX& qdot, Workspace& ws) {
  update_constraint_values(system, {t, q, qdot}, ws);
  const Worst worst = worst_of(ws.constraints.rows.value, ws.constraints.position);
  return {true, worst.value, 0, worst.row};
}

Directions anticipate_drift(double h, VecX& q, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  if (!c.only_position) return Directions::borrowed;
  for (int r = 0; r < c.rows.size(); ++r) c.delta[r] = c.rows.value[r] - h * h / 2 * c.rows.bias[r];
  correct(ws, q);
  return Directions::anticipated;
}

void project(const System& system, double t, VecX& q, VecX& qdot, Directions directions,
             Workspace& ws, ProjectionReport& report) {
  ConstraintWorkspace& c = ws.constraints;
  report = {};
  if (c.rows.size() == 0) return;
  const double tolerance =
      directions == Directions::anticipated ? kAnticipatedTolerance : position_tolerance(0);
  bool borrowed = directions != Directions::none;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    update_constraint_values(system, {t, q, qdot}, ws);
    const Worst worst = worst_of(c.rows.value, c.position);
    report.error = worst.value;
    if (worst.value <= tolerance) break;
    const auto fail = [&] {
      report.ok = false;
      report.worst_row = worst.row;
    };
    if (!std::isfinite(worst.value)) return fail();
    // The factors at hand leave O(h) of the small rest of an anticipated position.
    if (k > 0 || directions != Directions::anticipated) {
      const double size = size_of(ws, q);
      if (worst.value <= position_tolerance(size)) break;
      // Near rounding it cannot improve; far from it, it should have.
      const bool stalls = !(worst.value < 0.5 * before);
      if (stalls && worst.value <= position_limit(size)) break;
      if (k == kIterations) return fail();
      if (stalls) borrowed = false;
      if (!factor(system, {t, q, qdot}, c.position, borrowed, ws)) return fail();
    }
    before = worst.value;
    c.delta = c.rows.value;
    correct(ws, q);
    report.moved = true;
    borrowed = true;  // from here on, by the next iterate
  }

  for (;;) {
    residual_rates(qdot, c);
    const Worst left = worst_of(c.delta, c.holding);
    if (left.value == 0) return;
    if (!factor(system, {t, q, qdot}, c.holding, borrowed, ws)) {
      report.ok = false;
      report.worst_row = left.row;
      return;
    }
    correct(ws, qdot);
    report.moved = true;
    if (ws.saddle() != nullptr || !c.solver.dependent()) return;

    c.left = c.delta;
    residual_rates(qdot, c);
    const Worst worst = worst_of(c.delta, c.holding);
    report.rate_error = worst.value;
    const double speed = std::max(1.0, qdot.lpNorm<Eigen::Infinity>()) * size_of(ws, q);
    if (worst.value <= kRateLimit * speed) return;
    if (!borrowed) {
      report.ok = false;
      report.worst_row = worst.row;
      return;
    }
    // Rows that contradict each other, or an unusable W: that of a long implicit step is
    // not a metric if gravity upsets the mechanism.
    move_along(c.W, c.left, 1, qdot);
    borrowed = false;
  }
}

namespace {

/// assemble_state from the state's own coordinates.
void assemble_from_here(const System& system, State& state, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  const auto refuse = [&](int row, const std::string& problem) {
    // No row is to blame if coordinates are too large to compute with.
    const std::string element =
        row < 0
            ? "constraints"
            : "constraint '" +
                  system.constraints()[static_cast<size_t>(system.constraint_of_row(row))]->name() +
                  "'";
    throw Error(element, problem,
                "change it, the default coordinates, or the constraints that contradict it");
  };

  // Halve the step until the violation, in the metric of the masses, falls.
  bool borrowed = false;
  VecX q = state.q, step(state.q.size());
  for (int k = 0; k < kAssemblyIterations; ++k) {
    update_constraint_values(system, state, ws);
    const Worst worst = worst_of(c.rows.value, c.position);
    if (!std::isfinite(worst.value))
      refuse(worst.row, "has a value that is not finite at the default coordinates");
    if (worst.value <= position_tolerance(size_of(ws, state.q))) break;
    refresh_directions(system, state, ws);
    if (!factor(c.position, borrowed, ws))
      refuse(worst.row, "has derivatives that are not finite at the default coordinates");
    c.residual = c.S.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
    const auto violation = [&] {
      double sum = 0;
      for (int r = 0; r < c.rows.size(); ++r)
        if (c.position[static_cast<size_t>(r)])
          sum += c.residual[r] * c.rows.value[r] * c.rows.value[r];
      return sum;
    };
    const double before = violation();
    c.delta = c.rows.value;
    c.solver.solve_in_place(c.delta);
    step.noalias() = c.W * c.delta;
    double length = 1;
    for (int halving = 0; halving < 40; ++halving, length /= 2) {
      q = state.q - length * step;
      update_constraint_values(system, {state.t, q, state.qdot}, ws);
      if (violation() < before) break;
    }
    if (!(violation() < before)) break;
    state.q = q;
  }

  q = state.q;
  VecX qdot = state.qdot;
  const ProjectionReport report = project(system, state.t, q, qdot, Directions::none, ws);
  if (!report.ok && !(report.error <= position_limit(size_of(ws, q)))) {
    const ProjectionReport left = constraint_violation(system, state.t, state.q, state.qdot, ws);
    refuse(left.worst_row,
           fmt::format("cannot be satisfied at the start: {:.3g} (m or rad) remain", left.error));
  }
  if (!report.ok)
    refuse(
        report.worst_row,
        fmt::format("prescribes a velocity that contradicts others: {:.3g} (m/s or rad/s) remain",
                    report.rate_error));
  state.q = q;
  state.qdot = qdot;

  // Accelerations that are prescribed twice.
  c.conflict = 0;
  VecX qddot(state.q.size());
  forward_dynamics(system, state, ws, qddot);
  if (c.conflict > kConflict && !c.holding[static_cast<size_t>(c.conflict_row)])
    refuse(c.conflict_row, "prescribes an acceleration that contradicts others");
}

}  // namespace

void assemble_state(const System& system, State& state, Workspace& ws) {
  const State described = state;
  try {
    assemble_from_here(system, state, ws);
    return;
  } catch (const Error& error) {
    // A singular pose, or a slope that leads away: nearby poses may work. Fixed shifts of all
    // signs, so that every run finds the same state, of the coordinates that constraints ask for.
    update_constraint_values(system, described, ws);
    const VecX asked = ws.constraints.rows.Gt().rowwise().lpNorm<Eigen::Infinity>();
    double nearest = std::numeric_limits<double>::infinity();
    for (const double shift : {0.1, 0.3, 0.6})
      for (int trial = 0; trial < kTrialsPerShift; ++trial) {
        State moved = described;
        for (Eigen::Index k = 0; k < moved.q.size(); ++k)
          if (asked[k] > 1e-9)
            moved.q[k] += shift * std::sin(1.0 + 2.4 * static_cast<double>(k) + 1.7 * trial);
        try {
          assemble_from_here(system, moved, ws);
        } catch (const Error&) {
          continue;
        }
        if (const double far = (moved.q - described.q).norm(); far < nearest) {
          nearest = far;
          state = moved;
        }
      }
    if (std::isinf(nearest)) throw error;
  }
}

State exact_start(const System& system) {
  constexpr int kCorrections = 3;  // Newton's method, quadratic by now: rounding stops it
  State state = system.default_state();
  Workspace ws(system);
  ConstraintWorkspace& c = ws.constraints;
  const auto correct = [&](const std::vector<char>& rows, VecX& x) {
    refresh_directions(system, state, ws);
    if (!factor(rows, false, ws)) return;
    c.solver.solve_in_place(c.delta);
    move_along(c.W, c.delta, -1, x);
  };
  for (int k = 0; k <= kCorrections && c.rows.size() > 0; ++k) {
    update_constraint_values(system, state, ws);
    if (k < kCorrections) {
      c.delta = c.rows.value;
      correct(c.position, state.q);
    } else {
      residual_rates(state.qdot, c);
      correct(c.holding, state.qdot);
    }
  }
  for (size_t k = 0; k < system.parts().size(); ++k)
    system.parts()[k]->describe_internal(
        state.z.segment(system.place(k).internal, system.parts()[k]->internal_count()));
  settle_parts(system, state, ws, Settling::to_rounding);
  return state;
}

namespace {

/// Flags of rows that depend on earlier rows at a state, 0 or 1 each: the Cholesky factor of S,
/// rows scaled to unit length, grows by one row after the other and leaves out those of which it
/// leaves nothing.
std::vector<char> dependent_rows(const System& system, const State& state, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  update_constraint_values(system, state, ws);
  factor_mass_matrix(system, state, ws);
  std::vector<char> out(static_cast<size_t>(c.rows.size()), 0);
  if (ws.mass_solver->factor_rows(ws)) return out;
  update_directions(system, ws);
  const Eigen::Index m = c.S.rows();
  std::vector<Eigen::Index> kept;
  MatX L = MatX::Zero(m, m);
  VecX y(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const auto n = static_cast<Eigen::Index>(kept.size());
    double left = 0;
    if (c.S(r, r) > 0) {
      for (Eigen::Index k = 0; k < n; ++k) {
        const Eigen::Index other = kept[static_cast<size_t>(k)];
        y[k] = c.S(r, other) / std::sqrt(c.S(r, r) * c.S(other, other));
      }
      L.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(y.head(n));
      left = 1 - y.head(n).squaredNorm();
    }
    if (!(left > MultiplierSolver::kDependent)) {
      out[static_cast<size_t>(r)] = 1;
      continue;
    }
    L.row(n).head(n) = y.head(n).transpose();
    L(n, n) = std::sqrt(left);
    kept.push_back(r);
  }
  return out;
}

}  // namespace

std::vector<int> find_redundancies(const System& system, const State& state, Workspace& ws) {
  std::vector<char> dependent = dependent_rows(system, state, ws);
  if (std::any_of(dependent.begin(), dependent.end(), [](char d) { return d; })) {
    // A dead centre is dependent only at that point: check a neighbour, too.
    State neighbour = state;
    for (Eigen::Index k = 0; k < neighbour.q.size(); ++k)
      neighbour.q[k] += 1e-2 * std::sin(1 + static_cast<double>(k));
    if (project(system, neighbour.t, neighbour.q, neighbour.qdot, Directions::none, ws).ok) {
      const std::vector<char> there = dependent_rows(system, neighbour, ws);
      for (size_t r = 0; r < dependent.size(); ++r) dependent[r] = dependent[r] && there[r];
    }
  }
  std::vector<int> out;
  auto row = dependent.begin();
  for (const auto& constraint : system.constraints()) {
    out.push_back(static_cast<int>(std::count(row, row + constraint->rows(), 1)));
    row += constraint->rows();
  }
  return out;
}

}  // namespace sinew
