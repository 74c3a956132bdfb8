#pragma once

#include "sinew/integrate/integrator.hpp"

/// The action of constraints on the skeleton, as a table: the torques of prescribed joints, the
/// wrenches of prescribed bodies, the forces in loops.

namespace sinew {

/// Names of the values below: "<constraint>_<measurement>", e.g. "motor_torque", "pin_force_x".
std::vector<std::string> reaction_labels(const System& system);

/// Writes all measurements at a state, with the accelerations of that instant; they include the
/// stabilisation of `options` if steps do not project. Runs forward_dynamics.
void reactions(const System& system, const StepOptions& options, const State& state,
               const Controls& controls, Workspace& ws, std::vector<double>& out);

}  // namespace sinew
