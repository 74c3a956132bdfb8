#pragma once

#include <filesystem>
#include <functional>

#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/analysis/muscle_rank.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/tables/motion_target.hpp"

namespace sinew {

/// The muscles of a scene or of an OpenSim model, and their paths in any pose.
struct MuscleSource {
  std::string name;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;
  std::vector<Coordinate> coordinates;
  MotionTarget target;  ///< of motions
  PoseRange range;      ///< of the coordinates: their own, or some way either side of their default
  VecX q0;              ///< default pose; couplers hold
  std::vector<std::string> muscles;
  std::vector<std::optional<HillDescription>> hill;  ///< of each muscle; none: its path alone
  std::vector<std::string> warnings;
  bool has_spans = true;  ///< their paths have angles and statuses (MusclePath)

  /// All paths at t, q, q̇.
  std::function<void(double, const VecX&, const VecX&, std::vector<MusclePath>&)> update;
  /// coupled_speeds at the pose of the last update.
  std::function<MatX(const VecX&)> couplings;
};

/// `model` is an .osim file, or a scene by name or file; `set` changes values of scenes. Throws an
/// Error where it has no muscles.
MuscleSource load_muscles(const std::string& model, const std::vector<std::string>& set);

}  // namespace sinew
