#pragma once

#include "sinew/io/osim/osim_model.hpp"

/// Drive and start of a model, from files and from command-line options.

namespace sinew {

/// "BIClong=0.5" or "all=0.1" becomes a constant excitation. Throws an Error for muscles with
/// numbers outside 0 to 1; controls of actuators may have any value.
void set_excitation(const std::string& assignment, const OsimModel& model, OsimRun& run);

/// Excitations from a table over time (.sto): columns are muscles and actuators by name or path
/// ("/forceset/BIClong"), joined by straight lines. Throws an Error for columns that the model does
/// not have, and for missing numbers; adds warnings for muscles without a column and for
/// excitations of muscles outside 0 to 1, which count as 0 or 1.
void read_controls(const std::filesystem::path& path, const OsimModel& model, OsimRun& run,
                   std::vector<std::string>& warnings);

/// "knee=0.5", "knee/speed=1", "soleus/activation=0.1" or "soleus/fiber_length=0.05": [rad, m, s].
void set_initial(const std::string& assignment, const OsimModel& model, OsimRun& run);

/// The first row of a table of states (.sto), as OpenSim writes them
/// ("/jointset/knee/flexion/value",
/// "/forceset/soleus/activation" …) or as versions before 4.0 did ("flexion", "flexion_u",
/// "soleus.activation"). Throws an Error if it has no state of the model; adds warnings for
/// coordinates without a column, which keep their defaults.
void read_initial_state(const std::filesystem::path& path, const OsimModel& model, OsimRun& run,
                        std::vector<std::string>& warnings);

/// Doubts about the start of the run (doubts_of); `source` is the file or option that sets it.
/// Throws an Error for coordinates with impossible values.
void check_start(const std::string& source, const OsimModel& model, const OsimRun& run,
                 std::vector<std::string>& warnings);

/// Names of the states of the model's system in OpenSim: value and speed of each coordinate, then
/// activation and fibre length of each muscle that pulls.
std::vector<std::string> state_names(const OsimModel& model);

}  // namespace sinew
