#pragma once

#include <filesystem>
#include <set>

#include "sinew/builder/run_start.hpp"
#include "sinew/dynamics/control.hpp"
#include "sinew/io/tables/motion_target.hpp"

/// What drives a model and where it starts, from files and from what a user types.

namespace sinew {

/// As a user writes it.
struct RunOptions {
  std::vector<std::string> excitations = {};  ///< NAME=VALUE
  std::string controls = {};                  ///< file; empty: none
  std::vector<std::string> initial = {};      ///< files, or NAME=VALUE

  bool empty() const { return excitations.empty() && controls.empty() && initial.empty(); }
};

/// What of a model can be driven and can start elsewhere.
struct ModelInputs {
  /// A Hill muscle: it has an activation and a fibre length.
  struct HillState {
    std::string name;
    bool immediate = false;     ///< its activation is its excitation
    bool rigid_tendon = false;  ///< its fibre length follows from its path
  };
  std::vector<Control> controls;
  MotionTarget target;              ///< its coordinates
  std::set<std::string> dependent;  ///< further ones, which a map makes from these
  std::vector<HillState> muscles;
};

ModelInputs inputs_of(const OsimModel& model);
ModelInputs inputs_of(const Scene& scene);

/// All that the options say: first the files, then what was typed. Adds what is doubtful to
/// `warnings`.
RunStart read_run_start(const RunOptions& options, const ModelInputs& inputs,
                        std::vector<std::string>& warnings);

/// "BIClong=0.5" or "all=0.1" becomes a constant control. Throws an Error for names that are no
/// control's, excitations outside 0 to 1 and tensions below 0; controls of actuators may be any.
void set_excitation(const std::string& assignment, const ModelInputs& inputs, RunStart& run);

/// Controls from a table over time (.sto): columns are muscles and actuators by name or path
/// ("/forceset/BIClong"), joined as its header says or else by straight lines. Throws an Error for
/// columns that are none of the model's, where a number is missing, and for tensions below 0; adds
/// warnings for Hill muscles without a column and for excitations outside 0 to 1, which count as 0
/// or 1.
void read_controls(const std::filesystem::path& path, const ModelInputs& inputs, RunStart& run,
                   std::vector<std::string>& warnings);

/// "knee=0.5", "knee/speed=1", "soleus/activation=0.1" or "soleus/fiber_length=0.05": [rad, m, s].
void set_initial(const std::string& assignment, const ModelInputs& inputs, RunStart& run);

/// The first row of a table of states (.sto), as OpenSim writes them
/// ("/jointset/knee/flexion/value", "/forceset/soleus/activation" …), as versions before 4.0 did
/// ("flexion", "flexion_u", "soleus.activation"), or as our runs do in states.sto ("flexion",
/// "flexion_u") and muscles.sto ("soleus_activation", "soleus_fibre_length"). Throws an Error where
/// it has no state of the model; adds a warning for coordinates without a column, if others have
/// one.
void read_initial_state(const std::filesystem::path& path, const ModelInputs& inputs, RunStart& run,
                        std::vector<std::string>& warnings);

/// What is doubtful about where the run starts (doubts_of); `source` is the file or option that
/// says so. Throws an Error for coordinates that are beyond all measure.
void check_start(const std::string& source, const ModelInputs& inputs, const RunStart& run,
                 std::vector<std::string>& warnings);

}  // namespace sinew
