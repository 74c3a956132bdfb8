#pragma once

#include <cstdint>

#include "sinew/math/types.hpp"

namespace sinew {

/// Data that an integrator carries from one step to the next beyond (t, q, q̇). Part of the state:
/// a run continued from a copy gives the same bits. `owner` names its integrator; any other starts
/// afresh.
struct StepMemory {
  int owner = 0;           ///< 0: nothing remembered; otherwise 1 + the Integrator
  int steps = 0;           ///< steps taken since it was started
  std::uint64_t seal = 0;  ///< fingerprint of the q and q̇ it belongs to
  double h = 0;            ///< the step it belongs to
  double h_next = 0;       ///< adaptive integrators: the step to try next
  double power = 0;        ///< power of non-conservative forces at the present state [W]
  VecX q_1, qdot_1;        ///< bdf2: one step back
  VecX qddot;              ///< dopri5: q̈ at the present state
  VecX momentum;           ///< variational: p + (h/2) ∂L/∂q at the present state
  MatX differences;        ///< variational: row k holds the k-th backward differences of q̇
  VecX z_1;                ///< bdf2: internal state one step back
  VecX zdot;               ///< dopri5: ż at the present state

  bool operator==(const StepMemory& other) const;
};

/// Everything that changes. A value: copyable, comparable, hashable.
struct State {
  double t = 0;  ///< [s]
  VecX q, qdot;  ///< in the order of System::coordinates(), then free vertices, three entries each
  /// Internal state of the Hill muscles: all activations, then all fibre lengths [–, m].
  VecX z;
  StepMemory memory;

  bool operator==(const State& other) const;
};

/// FNV-1a over every bit of the state: equal for bitwise equal states.
std::uint64_t hash(const State& state);

}  // namespace sinew
