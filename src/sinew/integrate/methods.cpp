#include "sinew/integrate/methods.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace sinew {
namespace {

/// FNV-1a over the words of q and q̇: tells whether somebody changed the state since the memory was
/// written (an impulse, a reset). t is left out: callers may round it to multiples of h.
std::uint64_t fingerprint(const State& state) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](const VecX& x) {
    for (const double value : x)
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3u;
  };
  add(state.q);
  add(state.qdot);
  return hash;
}

int owner(Integrator integrator) { return 1 + static_cast<int>(integrator); }

bool remembers(Integrator integrator) {
  return integrator == Integrator::bdf2 || integrator == Integrator::dopri5 ||
         integrator == Integrator::variational;
}

}  // namespace

void prepare(const System& system, Integrator integrator, State& state) {
  StepMemory& memory = state.memory;
  if (remembers(integrator) &&
      (memory.owner != owner(integrator) || memory.seal != fingerprint(state))) {
    memory.owner = 0;
    memory.steps = 0;
    memory.h_next = 0;
  }
  // BDF2's history (q_1, q̇_1) moves to the new chart; accelerations and momenta would have to be
  // made anew.
  if (rechart(system, state) && integrator != Integrator::bdf2) memory.steps = 0;
}

void seal(Integrator integrator, double h, State& state) {
  state.memory.owner = owner(integrator);
  state.memory.h = h;
  state.memory.seal = fingerprint(state);
}

std::span<VecX> stages(const System& system, size_t count, Workspace& ws) {
  if (ws.stage.size() < count) ws.stage.resize(count);
  for (size_t k = 0; k < count; ++k) ws.stage[k].resize(system.dof_count());
  return {ws.stage.data(), count};
}

bool is_sane(const VecX& q, const VecX& qdot, StepReport& report) {
  constexpr double kAbsurd = 1e12;
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    // Written so that NaN fails.
    if (std::isfinite(q[k]) && std::abs(qdot[k]) <= kAbsurd) continue;
    report.status = StepStatus::diverged;
    report.worst_dof = static_cast<int>(k);
    return false;
  }
  return true;
}

}  // namespace sinew
