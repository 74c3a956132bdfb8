#pragma once

#include "sinew/io/models/loaded_model.hpp"

/// Ends of coordinates' ranges while a model runs in the viewer.

namespace sinew {

/// A SoftLimit for each coordinate of an OpenSim model that has a range, is not locked, follows no
/// other one and does not belong to a body that is free in space. Scenes get none: there a range is
/// that of the scene's own stops or limits. A coordinate that starts beyond its range has its stop
/// where it starts. Stiff: for integrators that can take that. `system` is the model's.
ForceList range_stops(const LoadedModel& model, const System& system);

}  // namespace sinew
