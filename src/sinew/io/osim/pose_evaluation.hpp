#pragma once

#include <string>
#include <string_view>

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {

/// Properties and motion of a model in given poses, for comparison with other programs.
///
/// `poses` is JSON: an object with "coordinates" (names, or objects with a "name") and "poses",
/// each with "q", "u" and "udot" in that order of coordinates [rad, m, s]. Coordinates that are not
/// named, and poses without "q", take the model's defaults; speeds and accelerations are zero if
/// not given; coupled coordinates follow the others if not given. Nothing else is assembled, locked
/// coordinates count as free. Muscles are put in
/// equilibrium at each activation in a pose's "hill", or at its "activation". `source` stands for
/// the file in messages.
///
/// The result is JSON, too; docs/opensim.md lists its keys. `doubts` gets those about the poses
/// (motion_checks.hpp), unless it is null.
std::string evaluate_poses(const OsimModel& model, std::string_view poses,
                           const std::string& source, std::vector<std::string>* doubts = nullptr);
/// The same for a scene, with the inertia of its muscles, and inverse dynamics with all forces that
/// act at t = 0 except those of Hill muscles.
std::string evaluate_poses(const Scene& scene, std::string_view poses, const std::string& source,
                           std::vector<std::string>* doubts = nullptr);

}  // namespace sinew
