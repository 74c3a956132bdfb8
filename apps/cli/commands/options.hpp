#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sinew/dynamics/force.hpp"
#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/io/models/run_options.hpp"
#include "sinew/io/studies/motion_study.hpp"
#include "sinew/io/tables/table_writer.hpp"

/// Options that several commands have.

namespace sinew::cli {

inline constexpr const char* kSceneHelp =
    "Name of a scene (see `sinew scenes`), a scene file, or an OpenSim model (.osim)";
inline constexpr const char* kTaskHelp = "Name of a task (see `sinew scenes`), or a task file";
inline constexpr const char* kModelHelp = "An .osim file, or a scene by name or file";
inline constexpr const char* kMotionHelp = "Coordinates over time, .mot or .sto";

/// Requires a finite number: the parser itself accepts "nan" and "inf".
const CLI::Validator& finite();
/// Requires a number above 0.
const CLI::Validator& positive();

/// A file or folder to write; an empty one, as from an unset shell variable, is a mistake.
const CLI::Validator& named();

/// Throws an Error if the file that an option names is one of those that the command reads.
void require_no_input(const char* option, const std::string& file,
                      const std::vector<std::string>& inputs);

/// The forces of --loads on the skeleton; prints its warnings.
ForceList read_loads(const std::string& path, const Skeleton& skeleton);

/// Destinations of the results of a study.
struct StudyOutput {
  std::string out;  ///< folder; empty: write no files
  TableFormat format = TableFormat::sto;
  bool report = false;  ///< also write a page to look at
  bool json = false;
};

void add_set(CLI::App& parser, std::vector<std::string>& set);
/// What drives a run and where it starts.
void add_run_options(CLI::App& parser, RunOptions& run);
/// Mass for muscles; `otherwise` says what holds without the option. --share takes a list if there
/// is a place for it.
void add_muscle_mass(CLI::App& parser, MuscleMassOptions& mass, const std::string& otherwise,
                     std::vector<double>* shares = nullptr);
void add_json(CLI::App& parser, bool& json);
void add_format(CLI::App& parser, TableFormat& format);
void add_report_flag(CLI::App& parser, bool& report);
/// Options for reading, filtering and differentiating coordinates.
void add_smoothing(CLI::App& parser, MotionOptions& smoothing);
/// Options common to studies of motions, except the model and the motion.
void add_motion_study(CLI::App& parser, MotionStudy& study, StudyOutput& output);

}  // namespace sinew::cli
