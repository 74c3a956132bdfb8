#pragma once

#include "sinew/io/sweeps/study.hpp"
#include "sinew/report/run_columns.hpp"

namespace sinew {

/// The results of a study, taken from the rows of one run.
class RunMeasures final : public RunSink {
 public:
  /// Throws an Error at a result whose output is not a column of the run.
  RunMeasures(const Study& study, const LoadedModel& model, const System& system);

  void add_row(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
               Workspace& ws) override;
  /// NaN for a crossing that did not happen, and before the first row.
  std::vector<double> values() const;
  /// Of these results; empty where none is known.
  const std::vector<std::string>& units() const { return units_; }

 private:
  struct Column {
    StudyResult::Measure measure;
    double level;
    size_t table, column;
    double first_time = 0, time = 0, value = 0;  ///< of the first row; of the last
    double peak = 0, peak_time = 0, least = 0, integral = 0;
    double crossing;  ///< NaN: none yet
    bool any = false;
  };
  RunColumns columns_;
  std::vector<Column> results_;
  std::vector<std::string> units_;
};

}  // namespace sinew
