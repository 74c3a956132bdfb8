#include "sinew/view/arms.hpp"

#include <limits>

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/view/pose.hpp"

namespace sinew {
namespace {

constexpr int kSamples = 81;

/// −dL/dq_k along the motion that the constraints leave.
double effective_arm(const System& system, const MusclePath& path, int k, const VecX& q,
                     const Workspace& ws) {
  // coupled_speeds knows the skeleton's coordinates, not those of a map.
  if (system.constraints().empty() || system.coordinate_map() != nullptr)
    return path.moment_arms[k];
  const MatX speeds = coupled_speeds(system.skeleton(), system.constraints(), ws.skeleton, q);
  return speeds.row(k).dot(path.moment_arms);
}

}  // namespace

ArmCurve sweep_arms(const System& system, size_t muscle, int k, double lower, double upper,
                    const State& state, Workspace& ws) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ArmCurve out;
  out.arm.assign(kSamples, kNone);
  out.length.assign(kSamples, kNone);
  for (int i = 0; i < kSamples; ++i)
    out.value.push_back(lower + (upper - lower) * i / (kSamples - 1));
  const VecX rest = VecX::Zero(state.q.size());
  MusclePath path;
  const auto sample = [&](int i, VecX& q) {
    const auto at = static_cast<size_t>(i);
    if (!pose_with(system, state.t, k, out.value[at], q, ws)) return false;
    update_muscle_path(system, muscle, {state.t, q, rest}, ws, path);
    if (failed(path.status)) return true;
    out.arm[at] = effective_arm(system, path, k, q, ws);
    out.length[at] = path.length;
    return true;
  };
  // Outwards from the present pose, each from its neighbour: mechanisms stay in the branch they are
  // in. Where one cannot go on, its side ends.
  int middle = 0;
  while (middle + 1 < kSamples && out.value[static_cast<size_t>(middle)] < state.q[k]) ++middle;
  VecX q = state.q;
  for (int i = middle; i < kSamples && sample(i, q); ++i) {
  }
  q = state.q;
  for (int i = middle - 1; i >= 0 && sample(i, q); --i) {
  }
  return out;
}

}  // namespace sinew
