#pragma once

#include "sinew/io/tasks/task.hpp"

namespace sinew {

/// A recorded motion that a run shall follow.
struct TrackedFile {
  std::filesystem::path path;  ///< .sto or .mot of coordinates, .trc of markers
  std::vector<std::string>
      names;               ///< of coordinates or markers; empty: all that model and file have
  double from = 0;         ///< time of the file at the start of the run [s]
  bool reactions = false;  ///< .sto of reactions, as reactions.sto of `sinew simulate`
};

/// A term for each coordinate, marker or reaction. Without `when` the rows of the file count, each
/// once. Throws an Error if the file lacks one that is named, has a gap or a row that is not at the
/// end of a step, or does not last as long as the run.
std::vector<std::shared_ptr<const LeastSquares>> track_file(const TrackedFile& file, double weight,
                                                            const std::optional<Moments>& when,
                                                            const TaskScope& scope);

}  // namespace sinew
