#pragma once

namespace bench {

/// Registers, for every integrator of fixed step, a run of the scene `double-pendulum` with its own
/// settings (10 s at 1 ms), and puts the run's energy error into the context.
void register_integrators();

}  // namespace bench
