#pragma once

#include "sinew/report/result_folder.hpp"
#include "sinew/report/run_columns.hpp"

namespace sinew {

/// The folder that a run writes its tables to.
class RunFolder final : public RunSink {
 public:
  /// `name` is the model's; `state_names` are those of an OpenSim model, none of a scene. The
  /// system must outlive the folder.
  /// `adaptive`: steps have lengths to keep.
  RunFolder(const std::filesystem::path& folder, TableFormat format, const std::string& name,
            const System& system, const std::vector<std::string>& state_names,
            bool adaptive = false);

  void add_row(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
               Workspace& ws) override;
  /// Keeps the length of an adaptive step, so that it can be taken again.
  void add_step(const State& state, const StepReport& report) override;
  void describe(nlohmann::ordered_json record) { results_.describe(std::move(record)); }
  void flush() override { results_.flush(); }
  void finish(const nlohmann::ordered_json& record) { results_.finish(record); }
  bool taken_over() const { return results_.taken_over(); }
  void abandon(const std::string& why) noexcept { results_.abandon(why); }

  const std::filesystem::path& folder() const { return results_.folder(); }
  long long rows() const { return rows_; }

 private:
  ResultFolder results_;
  RunColumns columns_;
  std::vector<TableWriter*> writers_;  ///< of these tables
  TableWriter* steps_ = nullptr;       ///< null: none
  long long rows_ = 0;
};

}  // namespace sinew
