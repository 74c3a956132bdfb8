#pragma once

#include "result_folder.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/io/scene.hpp"
#include "sinew/system/hill_equations.hpp"

namespace sinew::cli {

/// The folder a run writes to: coordinates, positions of the bodies, energies, reactions of
/// constraints and muscles where there are any.
class RunFolder {
 public:
  RunFolder(const std::filesystem::path& folder, TableFormat format, const Scene& scene);

  /// `ws` holds the kinematics at (q, qdot); `reactions` are those of sinew::reactions,
  /// `muscles` those of update_muscle_paths, `hill` those of hill_values.
  void add_row(double t, const VecX& q, const VecX& qdot, const Energy& energy,
               std::span<const double> reactions, std::span<const MusclePath> muscles,
               std::span<const HillValues<double>> hill, const Workspace& ws);
  void flush() { results_.flush(); }
  void finish(const nlohmann::ordered_json& record) { results_.finish(record); }

  const std::filesystem::path& folder() const { return results_.folder(); }
  long long rows() const { return states_->rows(); }

 private:
  ResultFolder results_;
  const Skeleton& skeleton_;
  TableWriter *states_, *bodies_, *energy_, *reactions_, *muscles_;  ///< null: none
  std::vector<bool> wraps_;                                          ///< per muscle
  std::vector<double> positions_, lengths_;
};

}  // namespace sinew::cli
