#include "sinew/io/osim/osim_samples.hpp"

#include <random>

#include "sinew/core/error.hpp"
#include "sinew/io/tables/motion_target.hpp"

namespace sinew {
namespace {

constexpr int kPoses = 16;
constexpr Reach kSampleReach = {0.5, 0.05, 0.5, 20, 1};

/// A random pose, halfway from the default one to a place within the ranges; share 0: the default.
RunStart random_run(const OsimModel& model, double share, std::mt19937_64& generator) {
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
  RunStart out;
  const MotionTarget target = motion_target(model);
  for (size_t k = 0; k < model.coordinates.size(); ++k) {
    const OsimCoordinate& c = model.coordinates[k];
    const bool length = c.kind == CoordinateKind::length;
    const auto [lower, upper] = span_of(target.coordinates[k], target.ranges[k], kSampleReach);
    const double value = lower + uniform() * (upper - lower), speed = 2 * uniform() - 1;
    if (c.locked) continue;
    out.values[c.name] = c.default_value + share * (value - c.default_value);
    out.speeds[c.name] = length ? 0.1 * speed : speed;
  }
  return out;
}

}  // namespace

std::vector<State> sample_states(const OsimModel& model) {
  std::mt19937_64 generator(1);
  std::vector<State> out;
  for (int k = 0; k < kPoses; ++k) {
    const RunStart run = random_run(model, k == 0 ? 0 : 0.5, generator);
    try {
      out.push_back(model.system_builder(run).build().default_state());
    } catch (const Error&) {  // constraints that no pose near this one satisfies
      if (k == 0) throw;
    }
  }
  return out;
}

std::vector<VecX> poses_of(const std::vector<State>& states) {
  std::vector<VecX> out;
  for (const State& state : states) out.push_back(state.q);
  return out;
}

}  // namespace sinew
