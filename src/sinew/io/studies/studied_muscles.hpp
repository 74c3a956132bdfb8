#pragma once

#include <functional>

#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/analysis/muscle_rank.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/models/loaded_model.hpp"

namespace sinew {

/// The muscles of a model whose poses are given from outside, and their paths in any of them. Needs
/// no masses: models that cannot be simulated can be studied.
struct StudiedMuscles {
  LoadedModel model;
  PoseRange range;  ///< of the coordinates: their own, or some way either side of their default
  VecX q0;          ///< default pose; couplers hold
  std::vector<std::string> names;
  std::vector<std::optional<HillDescription>> hill;  ///< of each muscle; none: its path alone
  bool has_spans = true;  ///< their paths have angles and statuses (MusclePath)

  /// All paths at t, q, q̇.
  std::function<void(double, const VecX&, const VecX&, std::vector<MusclePath>&)> update;
  /// coupled_speeds at the pose of the last update.
  std::function<MatX(const VecX&)> couplings;

  const std::vector<Coordinate>& coordinates() const { return model.target.coordinates; }
};

/// Throws an Error where the model has no muscles.
StudiedMuscles studied_muscles(LoadedModel model);

}  // namespace sinew
