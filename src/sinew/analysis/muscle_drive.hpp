#pragma once

#include "sinew/analysis/motion/motion_table.hpp"
#include "sinew/analysis/muscle_state.hpp"

/// What muscles are told along a motion.

namespace sinew {

struct DrivenMuscle {
  std::string name;
  HillDescription hill;
};

/// A row for each muscle, a column for each instant.
struct MuscleDrive {
  MatX activation;
  MatX fibre_length;                  ///< [m]; not a number: in equilibrium
  std::vector<std::string> warnings;  ///< in words
};

/// Every muscle at this activation; without one, at its own initial one.
MuscleDrive constant_drive(const std::vector<DrivenMuscle>& muscles, size_t instants,
                           std::optional<double> activation);

/// Activations, and fibre lengths where there are some, from a table of states, on straight lines
/// between its rows. Muscles that it does not have keep their initial activation, with a warning.
/// Throws an Error naming the table where it has none of them, or an activation outside [0, 1].
MuscleDrive drive_from_states(const std::vector<DrivenMuscle>& muscles,
                              const std::vector<double>& times, const MotionTable& states);

/// Activations that follow the excitations of a table of controls (a column named as the muscle, or
/// …/<muscle>), from the first of them on. The rest as drive_from_states.
MuscleDrive drive_from_controls(const std::vector<DrivenMuscle>& muscles,
                                const std::vector<double>& times, const MotionTable& controls);

}  // namespace sinew
