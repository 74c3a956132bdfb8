#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/recorded_run.hpp"

/// What run.json tells of a simulation.

namespace sinew {

/// What was simulated, and how it came about.
struct SimulationOrigin {
  const LoadedModel& model;
  const System& system;
  const SimulationSettings& settings;
  const LoadOptions& options;  ///< with which the model was loaded
  std::string command;         ///< as typed
};

/// Status, end, energies and audit of a run.
nlohmann::ordered_json describe_simulation(const SimulationOrigin& run, const RecordedRun& out);
/// The same of a run that was killed before it could tell.
nlohmann::ordered_json describe_unfinished(const SimulationOrigin& run);
/// The report with all that it takes to run it again.
nlohmann::ordered_json record_simulation(const SimulationOrigin& run,
                                         const nlohmann::ordered_json& report);

}  // namespace sinew
