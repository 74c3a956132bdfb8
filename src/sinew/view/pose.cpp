#include "sinew/view/pose.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {
namespace {

constexpr double kClosureTolerance =
    1e-10;  // of constraints [m, rad]; the projection goes on to 1e-12
constexpr int kClosureIterations = 30;
// Of the way to a value: mechanisms with several ways to close stay with the one they are in.
constexpr double kLargestMove = 0.1;

/// Newton's method on g(q) = 0 with coordinate k held: δq = −G⁺ g without the column of k, the
/// least change of the others.
bool close_constraints(const System& system, double t, int k, VecX& q, Workspace& ws) {
  const ConstraintWorkspace& c = ws.constraints;
  const VecX rest = VecX::Zero(q.size());
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kClosureIterations; ++iteration) {
    update_constraint_values(system, {t, q, rest}, ws);
    VecX g = c.rows.value;
    for (Eigen::Index r = 0; r < g.size(); ++r)
      if (!c.position[static_cast<size_t>(r)]) g[r] = 0;
    const double error = g.lpNorm<Eigen::Infinity>();
    if (error <= kClosureTolerance) return true;
    if (!std::isfinite(error) || (iteration > 5 && error > 0.9 * before)) return false;
    before = error;
    MatX G = c.rows.Gt().transpose();
    for (Eigen::Index r = 0; r < g.size(); ++r)
      if (!c.position[static_cast<size_t>(r)]) G.row(r).setZero();
    G.col(k).setZero();
    q -= G.completeOrthogonalDecomposition().solve(g);
  }
  return false;
}

/// Limits and contacts: what overlaps is moved apart.
bool separate_bodies(const System& system, State& state, Workspace& ws) {
  if (system.unilaterals().empty()) return true;
  return separate(system, state.t, state.q, state.qdot, Directions::none, ws).ok;
}

}  // namespace

bool pose_with(const System& system, double t, int k, double value, VecX& q, Workspace& ws) {
  const double start = q[k];
  if (system.constraints().empty()) {
    q[k] = value;
    return true;
  }
  const int moves =
      std::max(1, static_cast<int>(std::ceil(std::abs(value - start) / kLargestMove)));
  for (int i = 1; i <= moves; ++i) {
    q[k] = i == moves ? value : start + (value - start) * i / moves;
    if (!close_constraints(system, t, k, q, ws)) return false;
  }
  return true;
}

void settle_fibres(const System& system, State& state, Workspace& ws) {
  MusclePath path;
  for (size_t hill = 0; hill < system.hill_muscles().size(); ++hill) {
    const size_t k = system.hill_muscles()[hill];
    update_muscle_path(system, k, state, ws, path);
    const HillMuscle& muscle = system.muscles()[k]->muscle().hill->muscle;
    const HillEquilibrium found =
        equilibrate(muscle, state.z[activation_index(system, hill)], path.length, path.rate);
    if (found.status != HillStatus::no_equilibrium)
      state.z[fibre_index(system, hill)] = found.fibre_length;
  }
}

void set_coordinate(const System& system, int k, double value, State& state, Workspace& ws) {
  const std::string& name = system.coordinates()[static_cast<size_t>(k)].name;
  const auto refuse = [&](const char* problem, const char* remedy) {
    throw Error("coordinate '" + name + "'", fmt::format(fmt::runtime(problem), value), remedy);
  };
  if (!std::isfinite(value)) refuse("cannot be {}", "give a finite number");
  State moved = state;
  moved.qdot.setZero();
  moved.memory = {};
  if (!pose_with(system, moved.t, k, value, moved.q, ws))
    refuse("cannot be {:.4g}: constraints do not allow it",
           "try a value nearer to the present one");
  // Prescribed motions go on moving.
  if (!system.constraints().empty() &&
      !project(system, moved.t, moved.q, moved.qdot, Directions::none, ws).ok)
    refuse("cannot be {:.4g}: constraints contradict each other there", "try another value");
  if (!separate_bodies(system, moved, ws))
    refuse("cannot be {:.4g}: bodies would overlap", "try another value");
  settle_fibres(system, moved, ws);
  state = std::move(moved);
}

BodyIndex free_root(const Skeleton& skeleton) {
  BodyIndex out = kWorld;
  int roots = 0;
  for (int k = 0; k < skeleton.body_count(); ++k) {
    const Body& body = skeleton.body(BodyIndex(k));
    roots += body.parent == kWorld;
    if (is_free(body)) out = BodyIndex(k);
  }
  return roots == 1 ? out : kWorld;
}

}  // namespace sinew
