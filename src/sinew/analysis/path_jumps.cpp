#include "sinew/analysis/path_jumps.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

const OpenSimPathOnSkeleton* route_of(const System& system, int muscle) {
  return system.muscles()[static_cast<size_t>(muscle)]->opensim_path();
}

double length_at(const System& system, int muscle, double t, const VecX& q, const VecX& qdot,
                 Workspace& ws) {
  const ExpandedState x = expand(system, {t, q, qdot}, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  route_of(system, muscle)
      ->update({system.skeleton(), t, x.q, x.qdot, ws.skeleton}, muscle_scratch(ws).path.opensim);
  return muscle_scratch(ws).path.opensim.length;
}

/// Halves the way from `from` to `to` towards the larger change: what a path that is continuous
/// changes by vanishes, a jump stays.
double jump_between(const System& system, int muscle, double t, VecX from, VecX to,
                    const VecX& still, double tolerance, Workspace& ws) {
  constexpr int kHalvings = 40;
  double begin = length_at(system, muscle, t, from, still, ws);
  double end = length_at(system, muscle, t, to, still, ws);
  for (int k = 0; k < kHalvings && std::abs(end - begin) > tolerance; ++k) {
    const VecX middle = 0.5 * (from + to);
    const double length = length_at(system, muscle, t, middle, still, ws);
    const bool first = std::abs(length - begin) > std::abs(end - length);
    (first ? to : from) = middle;
    (first ? end : begin) = length;
  }
  const double change = end - begin;
  return std::abs(change) > tolerance ? change : 0;
}

}  // namespace

PathWatch::PathWatch(const System& system)
    : system_(system), still_(VecX::Zero(system.dof_count())) {
  for (int k = 0; k < static_cast<int>(system.muscles().size()); ++k)
    if (system.muscles()[static_cast<size_t>(k)]->may_jump()) followed_.push_back({k});
}

PathJump PathWatch::advance(const At& at, const std::vector<MusclePath>& paths, Workspace& ws) {
  PathJump out;
  if (followed_.empty()) return out;
  std::vector<int> suspects;
  for (Followed& followed : followed_) {
    const MusclePath& path = paths[static_cast<size_t>(followed.muscle)];
    const double expected = 0.5 * (at.t - t_) * (followed.rate + path.rate);
    if (begun_ && !(std::abs(path.length - followed.length - expected) <= kTolerance))
      suspects.push_back(followed.muscle);
    followed.length = path.length;
    followed.rate = path.rate;
  }
  // Fast changes are not jumps: look closer.
  for (const int muscle : suspects) {
    const double change = jump_between(system_, muscle, at.t, q_, at.q, still_, kTolerance, ws);
    if (std::abs(change) > std::abs(out.change)) out = {muscle, change};
  }
  begun_ = true;
  t_ = at.t;
  q_ = at.q;
  return out;
}

PathJump find_path_jump(const System& system, const State& state, double h, Workspace& ws) {
  constexpr double kSmallest = 1e-4, kNear = 5e-3;  // [m], [rad or m]
  PathJump out;
  const VecX still = VecX::Zero(system.dof_count());
  const auto look = [&](int k, const VecX& from, const VecX& to) {
    const double change = jump_between(system, k, state.t, from, to, still, kSmallest, ws);
    if (std::abs(change) > std::abs(out.change)) out = {k, change};
  };
  std::vector<int> paths;
  for (int k = 0; k < static_cast<int>(system.muscles().size()); ++k)
    if (system.muscles()[static_cast<size_t>(k)]->may_jump()) paths.push_back(k);
  for (const int k : paths) look(k, state.q, state.q + h * state.qdot);
  if (out.muscle >= 0) return out;
  for (const int k : paths)
    for (Eigen::Index c = 0; c < static_cast<Eigen::Index>(system.coordinates().size()); ++c) {
      const VecX way = kNear * VecX::Unit(state.q.size(), c);
      look(k, state.q - way, state.q + way);
    }
  return out;
}

std::string describe(const System& system, const PathJump& jump) {
  return fmt::format("the path of muscle '{}' jumps by {:+.3g} mm",
                     system.muscles()[static_cast<size_t>(jump.muscle)]->name(), 1e3 * jump.change);
}

}  // namespace sinew
