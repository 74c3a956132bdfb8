#include "sinew/system/look_ahead.hpp"

#include <algorithm>

#include "sinew/system/element_sums.hpp"

namespace sinew {

bool foresees(const System& system) {
  return std::any_of(system.parts().begin(), system.parts().end(),
                     [](const auto& part) { return part->foresees(); });
}

EventAhead look_ahead(const System& system, const State& state, Workspace& ws, PartEvent& event) {
  EventAhead nearest;
  update_kinematics(system, state, ws);
  const double* const controls = controls_at(system, state, ws);
  const ExpandedState x = ws.border->expanded(state);
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    if (!part.foresees()) continue;
    const EventAhead ahead =
        part.look_ahead(part_at(system, k, state, x, controls, ws), *ws.parts[k]);
    if (ahead.time >= nearest.time) continue;
    nearest = ahead;
    if (ahead.reached) event = part.event_ahead(*ws.parts[k]);
  }
  if (nearest.reached) event.time = state.t + nearest.time;
  return nearest;
}

}  // namespace sinew
