#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "sinew/io/sweeps/study.hpp"
#include "sinew/sweep/command_template.hpp"
#include "sinew/sweep/study_row.hpp"

namespace sinew {

/// What a study varies: a run of a model, or a task. Points are the values of its parameters. For
/// any number of threads.
class StudyBase {
 public:
  virtual ~StudyBase() = default;

  /// Without parameters.
  virtual LoadedModel model() const = 0;
  /// Changes with every file that decides the rows.
  virtual std::uint64_t hash() const = 0;
  /// Throws an Error if these values make no model.
  virtual void check(const std::vector<double>& point) const = 0;
  /// Writes status, results, time and reason. False if `stop`, which may be null, became true. The
  /// tables of the whole run go to the folder `keep`, unless it is empty; `command` is in them.
  virtual bool compute(const std::vector<double>& point, const std::string& command,
                       const std::atomic<bool>* stop, const std::filesystem::path& keep,
                       StudyRow& row) const = 0;
  /// The `sinew simulate` command that computes a run, with places for the values of the
  /// parameters; none if there is no such command.
  virtual std::optional<CommandTemplate> command() const = 0;
  /// Of each parameter and result; empty where none is known.
  virtual std::vector<std::string> parameter_units() const = 0;
  virtual std::vector<std::string> result_units() const = 0;
};

/// Both throw an Error with the place in the study's file. The study must live as long.
std::unique_ptr<StudyBase> study_of_model(const Study& study);
std::unique_ptr<StudyBase> study_of_task(const Study& study);

/// A run of a study, and what it leaves in a row.
struct StudiedRun {
  const Study& study;
  const LoadedModel& model;
  const System& system;
  const SimulationSettings& settings;
  const LoadOptions& options;
  std::string command;
};
/// As StudyBase::compute: results are those of outputs, in order.
bool simulate_row(const StudiedRun& run, const std::atomic<bool>* stop,
                  const std::filesystem::path& keep, StudyRow& row);

}  // namespace sinew
