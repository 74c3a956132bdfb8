#include "sinew/io/osim/osim_samples.hpp"

#include <random>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr int kPoses = 16;

/// A random pose, halfway from the default one to a place within the ranges; share 0: the default.
OsimRun random_run(const OsimModel& model, double share, std::mt19937_64& generator) {
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
  OsimRun out;
  for (const OsimCoordinate& c : model.coordinates) {
    const bool length = c.kind == CoordinateKind::length;
    const double widest = length ? 1 : 20;  // no joint has a wider range
    const bool given = c.upper > c.lower && c.upper - c.lower < widest;
    const double lower = given ? c.lower : c.default_value - (length ? 0.05 : 0.5);
    const double upper = given ? c.upper : c.default_value + (length ? 0.05 : 0.5);
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
    const OsimRun run = random_run(model, k == 0 ? 0 : 0.5, generator);
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
