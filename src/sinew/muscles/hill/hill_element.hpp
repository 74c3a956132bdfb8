#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "sinew/math/time_function.hpp"
#include "sinew/muscles/hill/activation.hpp"
#include "sinew/muscles/hill/hill.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "sinew/muscles/path/muscle_element.hpp"

/// Hill muscles on a skeleton: docs/theory/hill_muscles.md.

namespace sinew {

/// Proportional control: adds gain · (q − target) to the excitation.
struct ExcitationFeedback {
  DofIndex dof;       ///< of the skeleton; one that does not depend on others
  double gain = 0;    ///< [1/rad or 1/m]
  double target = 0;  ///< [rad or m]
};

/// What makes a path a Hill muscle.
struct HillDescription {
  HillMuscle muscle;
  ActivationDynamics activation;
  TimeFunction excitation = 0.0;
  std::optional<ExcitationFeedback> feedback;
  bool immediate = false;  ///< activation is the excitation, held within its limits
  double initial_activation = 0.05;
  std::optional<double> initial_fibre_length;  ///< [m]; none: in equilibrium
};

/// What a Hill muscle pulls along: a muscle's path, without mass and under 1 N, or a route.
using HillPath = std::variant<std::shared_ptr<const MuscleElement>,
                              std::shared_ptr<const OpenSimPathOnSkeleton>>;

/// A Hill muscle of a system.
struct HillElement {
  int muscle = -1;  ///< its path, of Muscles::elements(); −1: a route, which is none of them
  HillDescription description;
  HillPath path;

  const std::string& name() const;
  /// Null where the path is a muscle's.
  const OpenSimPathOnSkeleton* route() const;
};

/// Checked. Throws an Error naming the muscle.
std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton, int muscle,
                                                     const Muscle& path,
                                                     const HillDescription& description);
std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton,
                                                     const OpenSimPath& path,
                                                     const HillDescription& description);

/// A path at one moment: its length, its rate, and its gradient by the coordinates `dofs`.
struct PathState {
  double length, rate;
  const std::vector<int>& dofs;
  const std::vector<double>& dL;
};

/// Scratch of paths of both kinds, one at a time; and of a pull under 1 N.
struct HillPathScratch {
  MuscleWorkspace& muscle;
  OpenSimPathWorkspace& route;
};

/// Needs update_kinematics.
PathState update_path(const HillElement& element, const SkeletonAt& in, HillPathScratch ws);

}  // namespace sinew
