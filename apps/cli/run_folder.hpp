#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/io/scene.hpp"
#include "sinew/io/table_writer.hpp"

namespace sinew::cli {

/// The folder a run writes to: coordinates, positions of the bodies, energies, reactions of
/// constraints and muscles where there are any, and run.json, which says how they came about. Only
/// what an earlier run wrote there is ever replaced.
class RunFolder {
 public:
  /// Makes the folder. Throws an Error where it holds anything but an earlier run.
  RunFolder(const std::filesystem::path& folder, TableFormat format, const Scene& scene);

  /// `ws` holds the kinematics at (q, qdot); `reactions` are those of sinew::reactions,
  /// `muscles` those of update_muscle_paths.
  void add_row(double t, const VecX& q, const VecX& qdot, const Energy& energy,
               std::span<const double> reactions, std::span<const MusclePath> muscles,
               const Workspace& ws);
  void flush();
  /// Completes the tables and writes `record`, with the list of files added, as run.json.
  void finish(nlohmann::ordered_json record);

  const std::filesystem::path& folder() const { return folder_; }
  long long rows() const { return states_->rows(); }

 private:
  void write_record(const nlohmann::ordered_json& record);

  std::filesystem::path folder_;
  const Skeleton& skeleton_;
  /// Those there are, in the order in which run.json lists them.
  template <class Do>
  void for_each_table(Do&& each) {
    for (auto* table : {&states_, &bodies_, &energy_, &reactions_, &muscles_})
      if (*table) each(**table);
  }

  std::optional<TableWriter> states_, bodies_, energy_, reactions_, muscles_;
  std::vector<bool> wraps_;  ///< per muscle
  std::vector<double> positions_, lengths_;
};

}  // namespace sinew::cli
