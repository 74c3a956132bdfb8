#pragma once

#include "sinew/system/system.hpp"

namespace sinew {

/// Moves a state by hand: coordinate `k` of System::coordinates() gets `value`; the others follow
/// as far as constraints ask for it, by the least change; nothing moves any more; fibres of
/// muscles are in equilibrium at their activations. Throws an Error, and leaves the state as it
/// was, where constraints or contacts do not allow the value.
void set_coordinate(const System& system, int k, double value, State& state, Workspace& ws);

/// The pose of set_coordinate alone: q with coordinate `k` at `value`, constraints satisfied. False
/// where there is none; q is then of no use.
bool pose_with(const System& system, double t, int k, double value, VecX& q, Workspace& ws);

/// Sets fibre lengths to equilibrium at the state's q, q̇ and activations.
void settle_fibres(const System& system, State& state, Workspace& ws);

/// The body whose joint with the world lets the whole model leave its place; kWorld: there is none.
BodyIndex free_root(const Skeleton& skeleton);

}  // namespace sinew
