#pragma once

#include "sinew/analysis/motion/motion_table.hpp"
#include "sinew/analysis/muscle_state.hpp"

/// The drive of muscles along a motion.

namespace sinew {

struct DrivenMuscle {
  std::string name;
  HillDescription hill;
};

/// A row for each muscle, a column for each instant.
struct MuscleDrive {
  MatX activation;
  MatX fibre_length;                  ///< [m]; NaN: in equilibrium
  std::vector<std::string> warnings;  ///< in words
};

/// Every muscle at this activation; without one, at its own initial one.
MuscleDrive constant_drive(const std::vector<DrivenMuscle>& muscles, size_t instants,
                           std::optional<double> activation);

/// Activations, and fibre lengths if present, from a table of states, on straight lines between its
/// rows. Muscles that it lacks keep their initial activation, with a warning. Throws an Error
/// naming the table if it has no muscle, or an activation outside [0, 1].
MuscleDrive drive_from_states(const std::vector<DrivenMuscle>& muscles,
                              const std::vector<double>& times, const MotionTable& states);

/// Activations that follow the excitations of a table of controls (a column with the muscle's name,
/// or …/<muscle>), from the first of them. Otherwise as drive_from_states.
MuscleDrive drive_from_controls(const std::vector<DrivenMuscle>& muscles,
                                const std::vector<double>& times, const MotionTable& controls);

}  // namespace sinew
