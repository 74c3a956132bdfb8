#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

/// Whether any part sees events ahead.
bool foresees(const System& system);

/// The nearest event that the parts see ahead. If it is there, it is written to `event`.
EventAhead look_ahead(const System& system, const State& state, Workspace& ws, PartEvent& event);

}  // namespace sinew
