#pragma once

#include <functional>
#include <optional>

#include "sinew/builder/run_start.hpp"
#include "sinew/dynamics/constraint.hpp"
#include "sinew/dynamics/force.hpp"
#include "sinew/dynamics/part.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"

namespace sinew {

/// What is changed of a model after it was read, before its system is built.
struct SystemEdit {
  ForceList forces = {};            ///< added to those of the model
  ConstraintList constraints = {};  ///< the same
  PartList parts = {};              ///< the same
  /// Muscles keep their paths and give their masses to the bones: back to those that gave them, or
  /// to those that they lie along in the default pose.
  bool mass_on_bones = false;
  /// Moves mass from bodies that have all of it into muscles that have none, instead of what the
  /// model says; none: as it says.
  std::function<MassTransfer(const Skeleton& bones, const std::vector<WeighedMuscle>& muscles)>
      move_mass = {};
  std::optional<RunStart> start = {};  ///< none: as the model says
};

}  // namespace sinew
