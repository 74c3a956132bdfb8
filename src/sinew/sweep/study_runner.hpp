#pragma once

#include <atomic>
#include <optional>

#include "sinew/io/sweeps/study.hpp"
#include "sinew/sweep/command_template.hpp"
#include "sinew/sweep/study_row.hpp"

namespace sinew {

/// The runs of a study. Run i depends on the study and on i alone. For any number of threads.
class StudyRunner {
 public:
  /// Loads the model, and builds it with each parameter at the ends of its distribution. Throws an
  /// Error with the place in the study's file.
  explicit StudyRunner(Study study);

  const Study& study() const { return study_; }
  const Design& design() const { return design_; }
  /// Changes with every file that decides the rows.
  std::uint64_t model_hash() const { return model_hash_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Computes one run. None if `stop`, which may be null, became true. The tables of the whole run
  /// go to the folder `keep`, unless it is empty.
  std::optional<StudyRow> run(std::uint64_t i, const std::atomic<bool>* stop,
                              const std::filesystem::path& keep = {}) const;
  /// The `sinew simulate` command that computes it.
  std::string command(std::uint64_t i) const;
  /// The same of any run: its places are for the parameters.
  CommandTemplate command() const;

  /// Of each parameter and result; empty where none is known.
  const std::vector<std::string>& parameter_units() const { return parameter_units_; }
  const std::vector<std::string>& result_units() const { return result_units_; }

 private:
  struct Variant {
    LoadOptions options;
    std::optional<double> until;
  };
  Variant variant(const std::vector<double>& point) const;
  SimulationSettings settings(const LoadedModel& model, const Variant& variant) const;
  void check_ends() const;

  Study study_;
  Design design_;
  std::uint64_t model_hash_ = 0;
  std::vector<std::string> warnings_, parameter_units_, result_units_;
};

}  // namespace sinew
