#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sinew/dynamics/force.hpp"
#include "sinew/io/models/run_options.hpp"
#include "sinew/io/studies/motion_study.hpp"
#include "sinew/io/tables/table_writer.hpp"

/// Options that several commands have.

namespace sinew::cli {

inline constexpr const char* kSceneHelp =
    "Name of a scene (see `sinew scenes`), or a scene file, or an OpenSim model (.osim)";
inline constexpr const char* kModelHelp = "An .osim file, or a scene by name or file";
inline constexpr const char* kMotionHelp = "Coordinates over time, .mot or .sto";

/// Numbers are finite: the parser itself takes "nan" and "inf".
const CLI::Validator& finite();

/// A file or folder to write; an empty one, as an unset variable of a shell leaves it, is a
/// mistake.
const CLI::Validator& named();

/// The forces of --loads on the skeleton; its warnings are said.
ForceList read_loads(const std::string& path, const Skeleton& skeleton);

/// Where the results of a study go.
struct StudyOutput {
  std::string out;  ///< folder; empty: write no files
  TableFormat format = TableFormat::sto;
  bool report = false;  ///< write a page to look at, too
  bool json = false;
};

void add_set(CLI::App& parser, std::vector<std::string>& set);
/// What drives a run and where it starts.
void add_run_options(CLI::App& parser, RunOptions& run);
void add_json(CLI::App& parser, bool& json);
void add_format(CLI::App& parser, TableFormat& format);
void add_report_flag(CLI::App& parser, bool& report);
/// How coordinates are read, filtered and differentiated.
void add_smoothing(CLI::App& parser, MotionOptions& smoothing);
/// What studies of motions have in common, but for the model and the motion.
void add_motion_study(CLI::App& parser, MotionStudy& study, StudyOutput& output);

}  // namespace sinew::cli
