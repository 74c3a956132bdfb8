#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/system/position_tolerance.hpp"
#include "sinew/system/projection.hpp"

// One step of Newton's method for overlaps: the shortest δq in the metric of the masses with
//     c + R δq ≥ 0,   G δq = 0.
// With w = (1 − W_G S⁻¹G) M⁻¹rᵀ, δq = W y and A = R W, that is the program
//     minimise ½ yᵀA y + cᵀy,   y ≥ 0.
// Equality constraints are brought back afterwards, by project().

namespace sinew {
namespace {

constexpr int kSeparations = 40;
constexpr int kAssemblySeparations = 200;
// Gaps up to this multiple of the worst overlap may close while it is removed.
constexpr double kNeighbourhood = 10;

/// The rows of what is nearer than the margin, and the largest overlap among them: writes error and
/// source.
void find_overlap(const System& system, double t, const VecX& q, const VecX& qdot, double margin,
                  Workspace& ws, SeparationReport& report) {
  report.error = 0;
  if (system.unilaterals().empty()) return;  // not even kinematics are asked for
  const At at(t, q, qdot);
  update_kinematics(system, at, ws);
  update_unilaterals(system, at, {.margin = margin}, ws);
  for (const Unilateral& u : ws.unilateral.rows.list)
    if (!(-u.gap <= report.error)) {
      report.error = -u.gap;
      report.source = u.source;
      if (std::isnan(u.gap)) break;
    }
}

/// W, and A over the rows of `order`.
void update_responses(const System& system, double t, const VecX& q, const VecX& qdot,
                      Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  const At at(t, q, qdot);
  factor_mass_matrix(system, at, ws);
  ConstraintWorkspace& c = ws.constraints;
  update_constraints(system, at, ws);
  update_directions(system, ws);
  if (!c.solver.factor(c.S, c.position, true)) {
    c.S.triangularView<Eigen::StrictlyUpper>() = c.S.transpose();
    c.solver.factor_dependent(c.S, c.S, c.position, true);
  }
  const auto m = static_cast<Eigen::Index>(u.order.size());
  if (u.W.cols() < u.rows.rows.size()) u.W.resize(q.size(), u.rows.rows.size());
  if (u.A.rows() < m) u.A.resize(m, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const int row = u.order[static_cast<size_t>(j)];
    const auto w = u.W.col(row);
    solve_mass_matrix(system, ws, u.Gt().col(row), u.W.col(row));
    c.delta.noalias() = c.rows.Gt().transpose() * w;
    c.solver.solve_in_place(c.delta);
    u.W.col(row).noalias() -= c.W * c.delta;
    for (Eigen::Index i = 0; i < m; ++i)
      u.A(i, j) = u.Gt().col(u.order[static_cast<size_t>(i)]).dot(w);
  }
}

/// q ← q + W y. False if the rows contradict each other.
bool push_apart(const System& system, double t, double reach, VecX& q, const VecX& qdot,
                Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  u.order.clear();
  for (size_t k = 0; k < u.rows.list.size(); ++k)
    if (u.rows.list[k].gap <= reach) u.order.push_back(static_cast<int>(k));
  update_responses(system, t, q, qdot, ws);
  const auto m = static_cast<Eigen::Index>(u.order.size());
  if (u.b.size() != m) {
    u.b.resize(m);
    u.x.resize(m);
  }
  for (Eigen::Index i = 0; i < m; ++i)
    u.b[i] = u.rows.list[static_cast<size_t>(u.order[static_cast<size_t>(i)])].gap;
  u.x.setZero();
  const QpResult result = u.qp.solve({.H = u.A.topLeftCorner(m, m), .c = u.b, .lower = u.x});
  if (result.status == QpStatus::unbounded || !result.x.allFinite()) return false;
  for (Eigen::Index i = 0; i < m; ++i)
    q.noalias() += result.x[i] * u.W.col(u.order[static_cast<size_t>(i)]);
  return true;
}

}  // namespace

SeparationReport overlap(const System& system, double t, const VecX& q, const VecX& qdot,
                         Workspace& ws) {
  SeparationReport report;
  find_overlap(system, t, q, qdot, 0, ws, report);
  report.constraints = constraint_violation(system, t, q, qdot, ws);
  return report;
}

namespace {

SeparationReport separate(const System& system, double t, int iterations, Directions directions,
                          VecX& q, VecX& qdot, Workspace& ws) {
  SeparationReport report;
  double margin = 0, before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    project(system, t, q, qdot, k == 0 ? directions : Directions::none, ws, report.constraints);
    find_overlap(system, t, q, qdot, margin, ws, report);
    report.ok = report.constraints.ok;
    if (report.ok && report.error == 0) return report;
    const double size = size_with_links(ws, q);
    report.ok = report.constraints.ok && report.error <= position_limit(size);
    if (!report.constraints.ok || report.error <= position_tolerance(size)) return report;
    const bool stalls = !(report.error < 0.5 * before);
    if ((stalls && report.ok) || k == iterations || !std::isfinite(report.error)) return report;
    before = report.error;
    // Rows that are about to overlap take part: the margin finds them.
    if (margin < kNeighbourhood * report.error) {
      margin = kNeighbourhood * report.error;
      find_overlap(system, t, q, qdot, margin, ws, report);
    }
    if (!push_apart(system, t, margin, q, qdot, ws)) {
      report.ok = false;
      return report;
    }
  }
}

}  // namespace

SeparationReport separate(const System& system, double t, VecX& q, VecX& qdot,
                          Directions directions, Workspace& ws) {
  return separate(system, t, kSeparations, directions, q, qdot, ws);
}

void separate_state(const System& system, State& state, Workspace& ws) {
  const SeparationReport report =
      separate(system, state.t, kAssemblySeparations, Directions::none, state.q, state.qdot, ws);
  if (report.ok) return;
  if (!report.constraints.ok)
    throw Error("limits and contacts", "contradict the constraints at the start",
                "change the default coordinates");
  throw Error(describe(system.unilaterals(), report.source),
              fmt::format("overlaps by {:.3g} (m or rad) at the start", report.error),
              "change the default coordinates");
}

}  // namespace sinew
