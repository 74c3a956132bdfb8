#include "sinew/view/stops.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/dynamics/soft_limit.hpp"

namespace sinew {
namespace {

constexpr double kWidest = 20;        // a wider range is none that a joint has [rad, m]
constexpr double kDampingRatio = 1;   // of the inertia that a stop feels
constexpr double kArmOfWeight = 0.5;  // at which the weight is taken to act on angles [m]

/// A stop gives way by about this under all that the model can exert, and sets in along half of it.
double give_of(CoordinateKind kind) {
  return kind == CoordinateKind::length ? 0.005 : 2 * std::numbers::pi / 180;
}

/// The largest force that muscles, each with its strength, and weight may exert on coordinate k.
double largest_load(const System& system, int k, const std::vector<MusclePath>& paths) {
  double out = 0, mass = 0;
  for (size_t m = 0; m < paths.size(); ++m)
    if (const auto& hill = system.muscles()[m]->muscle().hill)
      out += hill->muscle.max_isometric_force * std::abs(paths[m].moment_arms[k]);
  const Skeleton& skeleton = system.skeleton();
  const int link = skeleton.link_of_dof(k);
  for (int i = link; i < skeleton.subtree_end(link); ++i) mass += skeleton.link(i).mass;
  const bool length = system.coordinates()[static_cast<size_t>(k)].kind == CoordinateKind::length;
  return out + 9.81 * mass * (length ? 1 : kArmOfWeight);
}

bool gets_stop(const LoadedModel& model, const Coordinate& c, int k) {
  const CoordinateRange& range = model.target.ranges[static_cast<size_t>(k)];
  return range.upper - range.lower < kWidest && !model.locked.contains(c.name) &&
         !model.target.coupled.coupling_of(DofIndex(k)) && !is_free(model.skeleton.body(c.body));
}

}  // namespace

ForceList range_stops(const LoadedModel& model, const System& system) {
  ForceList out;
  if (!model.osim || system.dof_count() == 0) return out;
  const State start = initial_state(system, model.settings.step);
  const At at{start.t, start.q, start.qdot};
  Workspace ws(system);
  std::vector<MusclePath> paths;
  update_muscle_paths(system, at, ws, paths);
  MatX M;
  mass_matrix(system, at, ws, M);
  const MatX inverse = M.ldlt().solve(MatX::Identity(M.rows(), M.cols()));
  for (int k = 0; k < static_cast<int>(system.coordinates().size()); ++k) {
    const Coordinate& c = system.coordinates()[static_cast<size_t>(k)];
    if (!gets_stop(model, c, k)) continue;
    const CoordinateRange& range = model.target.ranges[static_cast<size_t>(k)];
    const double give = give_of(c.kind), felt_inertia = 1 / inverse(k, k);
    const double stiffness = largest_load(system, k, paths) / give;
    if (!(stiffness > 0)) continue;
    SoftLimit::Law law;
    law.lower = std::min(range.lower, start.q[k]);
    law.upper = std::max(range.upper, start.q[k]);
    law.lower_stiffness = law.upper_stiffness = stiffness;
    law.damping = 2 * kDampingRatio * std::sqrt(stiffness * std::max(0.0, felt_inertia));
    law.transition = give / 2;
    out.push_back(std::make_shared<SoftLimit>("stop of " + c.name, DofIndex(k), law));
  }
  return out;
}

}  // namespace sinew
