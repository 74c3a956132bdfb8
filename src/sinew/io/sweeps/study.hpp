#pragma once

#include <filesystem>
#include <optional>

#include "sinew/analysis/design/design.hpp"
#include "sinew/io/models/loaded_model.hpp"

/// Studies as data: a run, what varies in it, and what is kept of each variant. docs/studies.md
/// describes the files.

namespace sinew {

/// A number of a run that varies.
struct StudyParameter {
  enum class Kind {
    model,       ///< of the model's file, by the path of --set
    initial,     ///< of the start: "knee", "knee/speed", "soleus/activation"
    excitation,  ///< a control that is constant
    duration,    ///< of the run [s]
    task,        ///< an unknown of the task: "motor@0.25"
  };
  Kind kind = Kind::model;
  std::string target;  ///< path, state, control or unknown
  std::string name;    ///< in tables
  Distribution distribution;
  int line = 0;
};

/// A number that is kept of each run.
struct StudyResult {
  enum class Measure { final, peak, least, mean, integral, time_of_peak, time_of_crossing };
  enum class Of {
    output,     ///< a column of the run's tables: "muscles/soleus_tension", "knee"
    objective,  ///< a term of the task's objective, or "total"
    gradient,   ///< of the objective by an unknown of the task
  };
  std::string name;
  Of of = Of::output;
  std::string output;  ///< the column, the term or the unknown
  Measure measure = Measure::final;
  double level = 0;  ///< that the output crosses
  int line = 0;

  static const std::vector<std::string>& measure_names();
};

struct Study {
  std::string name;  ///< of the file, without its ending
  std::string title, description, citation;
  std::filesystem::path path;
  /// FNV-1a of what decides the rows, the number of runs of designs that grow left out.
  std::uint64_t content_hash = 0;

  std::string model;  ///< as load_model takes it; empty: that of the task
  std::string task;   ///< as load_task takes it; empty: none
  LoadOptions options;
  std::optional<Integrator> integrator;  ///< of the run; the model says what is left open
  std::optional<double> dt, until, accuracy, output_interval;
  std::optional<int> most_steps;

  DesignOptions design;
  std::vector<double> points;  ///< of a list
  std::vector<StudyParameter> parameters;
  std::vector<StudyResult> results;

  /// The same error with its place in the file.
  Error located(const Error& error, int line) const;
  /// With other options for the design.
  Design make_design() const;
};

/// Reads and checks a study file, given by name or by path, without its model. Throws an Error with
/// file and line.
Study load_study(const std::string& name_or_path);
/// The same from text; `source` stands for the file in messages; other files are looked up in
/// `folder`.
Study parse_study(std::string_view text, const std::string& source,
                  const std::filesystem::path& folder);

/// The studies that come with the program: share/sinew/studies beside its folder.
std::vector<std::string> study_names();

}  // namespace sinew
