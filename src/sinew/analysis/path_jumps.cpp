#include "sinew/analysis/path_jumps.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

const OpenSimPathOnSkeleton* route_of(const System& system, int hill) {
  return system.hill_muscles()[static_cast<size_t>(hill)]->route();
}

/// Surfaces that a path may leave, or points that it may lose.
bool may_jump(const OpenSimPathOnSkeleton& route) {
  if (!route.path().surfaces.empty()) return true;
  for (const OpenSimPathPoint& point : route.path().points)
    if (point.condition.valid()) return true;
  return false;
}

double length_at(const System& system, int hill, const VecX& q, const VecX& qdot, Workspace& ws) {
  const ExpandedState x = expand(system, {0, q, qdot}, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  route_of(system, hill)
      ->update({system.skeleton(), 0, x.q, x.qdot, ws.skeleton}, muscle_scratch(ws).route);
  return muscle_scratch(ws).route.length;
}

/// Halves the way from `from` to `to` towards the larger change: the change of a continuous path
/// vanishes, a jump stays.
double jump_between(const System& system, int hill, VecX from, VecX to, const VecX& still,
                    double tolerance, Workspace& ws) {
  constexpr int kHalvings = 40;
  double begin = length_at(system, hill, from, still, ws);
  double end = length_at(system, hill, to, still, ws);
  for (int k = 0; k < kHalvings && std::abs(end - begin) > tolerance; ++k) {
    const VecX middle = 0.5 * (from + to);
    const double length = length_at(system, hill, middle, still, ws);
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
  for (int k = 0; k < static_cast<int>(system.hill_muscles().size()); ++k)
    if (const OpenSimPathOnSkeleton* route = route_of(system, k); route && may_jump(*route))
      followed_.push_back({k});
}

PathJump PathWatch::advance(const At& at, Workspace& ws) {
  PathJump out;
  if (followed_.empty()) return out;
  std::vector<int> suspects;
  const ExpandedState x = expand(system_, at, ws);
  update_kinematics(system_.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system_.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  OpenSimPathWorkspace& course = muscle_scratch(ws).route;
  for (Followed& path : followed_) {
    const OpenSimPathOnSkeleton& route = *route_of(system_, path.hill);
    route.update(in, course);
    route.update_length_gradient(in, course);
    double rate = 0;
    for (size_t k = 0; k < route.dofs().size(); ++k) rate += course.dL[k] * x.qdot[route.dofs()[k]];
    const double expected = 0.5 * (at.t - t_) * (path.rate + rate);
    if (begun_ && !(std::abs(course.length - path.length - expected) <= kTolerance))
      suspects.push_back(path.hill);
    path.length = course.length;
    path.rate = rate;
  }
  // Fast changes are not jumps: examine closer.
  for (const int hill : suspects) {
    const double change = jump_between(system_, hill, q_, at.q, still_, kTolerance, ws);
    if (std::abs(change) > std::abs(out.change)) out = {hill, change};
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
    const double change = jump_between(system, k, from, to, still, kSmallest, ws);
    if (std::abs(change) > std::abs(out.change)) out = {k, change};
  };
  std::vector<int> paths;
  for (int k = 0; k < static_cast<int>(system.hill_muscles().size()); ++k)
    if (const OpenSimPathOnSkeleton* route = route_of(system, k); route && may_jump(*route))
      paths.push_back(k);
  for (const int k : paths) look(k, state.q, state.q + h * state.qdot);
  if (out.hill >= 0) return out;
  for (const int k : paths)
    for (Eigen::Index c = 0; c < static_cast<Eigen::Index>(system.coordinates().size()); ++c) {
      const VecX way = kNear * VecX::Unit(state.q.size(), c);
      look(k, state.q - way, state.q + way);
    }
  return out;
}

std::string describe(const System& system, const PathJump& jump) {
  return fmt::format("the path of muscle '{}' jumps by {:+.3g} mm",
                     system.hill_muscles()[static_cast<size_t>(jump.hill)]->name(),
                     1e3 * jump.change);
}

}  // namespace sinew
