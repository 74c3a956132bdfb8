#pragma once

#include <atomic>
#include <functional>

#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// Duration and method of a simulation.
struct SimulationSettings {
  StepOptions step = {};
  double dt = 1e-3;            ///< step [s], of runs with steps of one length
  double until = 1;            ///< [s]
  double output_interval = 0;  ///< between outputs [s]; 0: every step
  int most_steps = 10000000;   ///< adaptive runs: one that needs more fails
  int audit_every = 1;         ///< steps between two looks of the audit at energies and paths
  /// Adaptive runs: the steps of an earlier run of the same system and settings, which this one
  /// repeats to the bit. Empty: it chooses its own.
  std::vector<TakenStep> repeated_steps = {};
  /// Growth of energy that the audit accepts, relative to the run's energy; 0: by integrator.
  double accepted_energy_gain = 0;
};

/// Callbacks of a run. All may be empty.
struct SimulationObserver {
  /// After every step that succeeded, and after on_output where that is due.
  std::function<void(const State&, const StepReport&)> on_step;
  /// At the start, every output_interval and at the end. dopri5 interpolates, other adaptive runs
  /// end steps there, those with steps of one length output the nearest step.
  std::function<void(const State&)> on_output;
  /// The run stops after the present step once this is true.
  const std::atomic<bool>* stop = nullptr;
};

enum class SimulationEnd { finished, failed, interrupted };

struct SimulationResult {
  SimulationEnd end = SimulationEnd::finished;
  long long steps = 0;     ///< steps that succeeded
  long long rejected = 0;  ///< attempts discarded: adaptive, or taken in halves
  long long newton_iterations = 0, linearizations = 0;  ///< of implicit methods
  long long inaccurate = 0;   ///< steps of the least length with more error than allowed
  double largest_excess = 0;  ///< the largest StepReport::excess of these
  double excess_time = 0;     ///< the end of that step [s]
  StepReport last;            ///< report of the last step tried: tells why a run failed
  PartEvent event;            ///< that ended the run; without a kind: none did
};

/// The start of a run: the system's default state. Without projection the described one: nothing
/// brings such a run to the constraints later, either.
State initial_state(const System& system, const StepOptions& options);

/// Advances `state` to settings.until. Fixed steps end at t₀ + k dt computed afresh, so that
/// rounding does not add up, and a last, shorter step lands on `until`. A run that fails, or that
/// comes to an event of a part, stops there: `state` is the last good one. Throws an Error if the
/// settings make no sense.
/// Controls are the system's own, unless others are given.
SimulationResult simulate(const System& system, const SimulationSettings& settings, State& state,
                          Workspace& ws, const SimulationObserver& observer = {});
SimulationResult simulate(const System& system, const SimulationSettings& settings,
                          const Controls& controls, State& state, Workspace& ws,
                          const SimulationObserver& observer = {});

/// The rule for the lengths of steps, in words: "accuracy 0.0001", "dt = 0.002 s".
std::string describe_steps(const SimulationSettings& settings);

/// The reason and place of a failure, in words: "newton failed at t = 0.25 s, worst in coordinate
/// 'knee'".
std::string describe_failure(const System& system, const SimulationResult& result,
                             const State& state);

}  // namespace sinew
