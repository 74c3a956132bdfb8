#pragma once

#include <optional>

#include "sinew/math/time_function.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/muscles/hill/activation.hpp"
#include "sinew/muscles/hill/hill.hpp"

namespace sinew {

/// Proportional control: adds gain · (q − target) to the excitation.
struct ExcitationFeedback {
  DofIndex dof;       ///< a coordinate of the skeleton that does not depend on others
  double gain = 0;    ///< [1/rad or 1/m]
  double target = 0;  ///< [rad or m]
};

/// Activation, fibres and tendon of a muscle: docs/theory/hill_muscles.md.
struct HillDescription {
  HillMuscle muscle;
  ActivationDynamics activation;
  TimeFunction excitation = 0.0;
  std::optional<ExcitationFeedback> feedback;
  bool immediate = false;  ///< activation is the excitation, held within its limits
  double initial_activation = 0.05;
  std::optional<double> initial_fibre_length;  ///< [m]; none: in equilibrium
};

/// Throws an Error naming `element` where the description makes no sense on the skeleton.
void validate(const HillDescription& description, const Skeleton& skeleton,
              const std::string& element);

}  // namespace sinew
