#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/io/tables/table_writer.hpp"

/// The subcommands. Each returns the program's exit code; mistakes of the user's leave as
/// sinew::Error.

namespace sinew::cli {

/// What the program's exit code says.
enum ExitCode {
  kOk = 0,
  kInternal = 1,  ///< a defect of the program
  kBadInput = 2,
  kFailed = 3,         ///< the computation failed; what was computed before is written and marked
  kAuditFailed = 4,    ///< it finished, but a check of it failed
  kInterrupted = 130,  ///< what was computed before is kept
};

struct ScenesOptions {
  bool json = false;
};
int run_scenes(const ScenesOptions& options);

struct InfoOptions {
  std::string scene;  ///< or a model
  std::vector<std::string> set;
  bool strict = false;  ///< of models: what cannot be read is an error
  bool json = false;
};
int run_info(const InfoOptions& options);
/// The same of an OpenSim model.
int run_osim_info(const InfoOptions& options);

struct EvaluateOptions {
  std::string model, poses;
  std::string out;  ///< file; empty: the screen
  bool strict = false;
  bool json = false;  ///< the screen, too
};
int run_evaluate(const EvaluateOptions& options);

struct SimulateOptions {
  std::string scene;  ///< or an .osim model
  std::vector<std::string> set;
  // of models
  std::vector<std::string> excitations;  ///< NAME=VALUE
  std::string controls;                  ///< file; empty: none
  std::vector<std::string> initial;      ///< a file, or NAME=VALUE
  bool strict = false;                   ///< what cannot be read is an error
  // of both
  std::string loads;  ///< ExternalLoads XML; empty: none
  std::optional<std::string> integrator;
  std::optional<double> dt, until, tolerance;
  std::string out;  ///< folder; empty: write no files
  TableFormat format = TableFormat::sto;
  bool report = false;  ///< write a page to look at, too
  bool json = false;
  std::string command;  ///< as it was typed
};
int run_simulate(const SimulateOptions& options);

/// A model, a motion, and what acts on it.
struct MotionStudyOptions {
  std::string model;   ///< .osim file or scene
  std::string motion;  ///< .mot or .sto
  std::string loads;   ///< ExternalLoads XML; empty: none
  MotionOptions smoothing;
  std::vector<std::string> set;
  std::string out;  ///< folder; empty: write no files
  TableFormat format = TableFormat::sto;
  bool report = false;  ///< write a page to look at, too
  bool json = false;
  std::string command;  ///< as it was typed
};

/// Without a motion the model is a setup file of OpenSim's tool.
struct IdOptions : MotionStudyOptions {
  std::string table;  ///< its name, without extension; empty: <motion>_InverseDynamics
  std::vector<std::string> exclude;  ///< forces of the model that do not act; ALL: none does
};
int run_id(const IdOptions& options);

struct CompareOptions : MotionStudyOptions {
  std::string muscles;                ///< table of masses and bellies; empty: none
  std::vector<std::string> segments;  ///< body:share:muscle,muscle,…
  std::optional<double> share;        ///< of the muscles' masses, taken where they lie
  double specific_tension = 0.25;     ///< from which masses of OpenSim's muscles follow [MPa]
};
int run_compare_inertia(const CompareOptions& options);

struct ReportOptions {
  std::string run;     ///< folder of a run
  std::string beside;  ///< folder of another, to be compared with; empty: none
  std::string out;     ///< file; empty: report.html in the folder
  bool json = false;
};
/// Says where it has written the page.
int run_report(const ReportOptions& options);
/// Writes the page; returns its path.
std::filesystem::path write_report(const ReportOptions& options);
/// Its name in a run's folder.
inline constexpr const char* kReportName = "report.html";

struct ViewOptions {
  std::string model;  ///< a scene by name or file, or an .osim file
  std::vector<std::string> set;
  int port = 0;         ///< 0: any that is free
  bool browser = true;  ///< open one
  bool json = false;
};
/// Serves the live page until Ctrl-C.
int run_view(const ViewOptions& options);

/// Without a motion: the default pose, or a coordinate's range.
struct MusclesOptions : MotionStudyOptions {
  std::string coordinate;     ///< to sweep; empty: the default pose
  std::vector<double> range;  ///< of it; empty: its own
  int samples = 100;
  bool rank = false;
  std::uint64_t seed = 1;
  double specific_tension = 0.25;    ///< from which masses of OpenSim's muscles follow [MPa]
  std::optional<double> activation;  ///< of all muscles; none: their own
  std::string states, controls;      ///< files of activations or excitations; empty: none
};
int run_muscles(const MusclesOptions& options);
struct MuscleSource;
/// The same along a motion.
int run_muscle_motion(const MuscleSource& source, const MusclesOptions& options);

struct BenchOptions {
  std::vector<std::string> scenes;
  std::optional<std::string> integrator;
  double seconds = 0.5;  ///< for each line of the table
  bool json = false;
};
int run_bench(const BenchOptions& options);

}  // namespace sinew::cli
