#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

/// Before a step of length h: parts whose coordinates must stand for something else from here on
/// change them (Part::rearrange). Velocities change by impulses, so that momentum along all
/// motions that remain is kept; `projection` then brings the constraints back. Returns the energy
/// that the state has gained, which is none or less for what impulses do [J].
double rearrange(const System& system, double h, bool projection, State& state, Workspace& ws);

}  // namespace sinew
