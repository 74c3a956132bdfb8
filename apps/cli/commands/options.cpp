#include "cli/commands/options.hpp"

#include <cmath>

#include "cli/console.hpp"
#include "sinew/io/tables/external_loads.hpp"

namespace sinew::cli {

const CLI::Validator& finite() {
  static const CLI::Validator kFinite(
      [](std::string& text) {
        double value = 0;
        const bool ok = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return ok ? std::string() : "'" + text.substr(0, 40) + "' is not a finite number";
      },
      "", "finite");
  return kFinite;
}

namespace {

/// CLI11's own validators print the largest number that there is.
CLI::Validator at_least_zero(bool zero, const char* problem) {
  return {[=](std::string& text) {
            double value = 0;
            const bool ok =
                CLI::detail::lexical_cast(text, value) && (zero ? value >= 0 : value > 0);
            return ok ? std::string() : "'" + text.substr(0, 40) + "' " + problem;
          },
          "", ""};
}
const CLI::Validator kPositive = at_least_zero(false, "is not a positive number");
const CLI::Validator kNotNegative = at_least_zero(true, "is negative");

}  // namespace

const CLI::Validator& positive() { return kPositive; }

const CLI::Validator& named() {
  static const CLI::Validator kNamed(
      [](std::string& text) {
        return text.empty() ? std::string("is empty: give a file or folder") : std::string();
      },
      "", "named");
  return kNamed;
}

void require_no_input(const char* option, const std::string& file,
                      const std::vector<std::string>& inputs) {
  std::error_code code;
  for (const std::string& input : inputs)
    if (std::filesystem::is_regular_file(file, code) &&
        std::filesystem::equivalent(file, input, code))
      throw Error(option, "'" + file + "' is also read, and would be lost", "name another file");
}

ForceList read_loads(const std::string& path, const Skeleton& skeleton) {
  const ExternalLoads loads = read_external_loads(path);
  print_warnings(loads.warnings);
  return external_forces(loads, skeleton);
}

void add_set(CLI::App& parser, std::vector<std::string>& set) {
  parser
      .add_option("--set", set,
                  "Change a value: path=value, of a scene e.g. simulation.dt=0.001, "
                  "bodies.b1.joint.q0=[0.3]; of a model by OpenSim's path, e.g. "
                  "/bodyset/femur_r/mass=8")
      ->allow_extra_args(false);
}

void add_run_options(CLI::App& parser, RunOptions& run) {
  parser
      .add_option(
          "--excitation", run.excitations,
          "Of a muscle: NAME=VALUE, 0 to 1; all=VALUE for those not named. A muscle without "
          "excitation takes a tension [N], a motor its control")
      ->allow_extra_args(false);
  parser.add_option("--controls", run.controls, "The same over time, a column each (.sto)")
      ->check(named());
  parser
      .add_option("--initial", run.initial,
                  "First row of states (.sto), or NAME=VALUE, NAME/speed=VALUE, "
                  "NAME/activation=VALUE, NAME/fiber_length=VALUE [rad, m, s]")
      ->allow_extra_args(false);
}

void add_muscle_mass(CLI::App& parser, MuscleMassOptions& mass, const std::string& otherwise,
                     std::vector<double>* shares) {
  const auto positive = [&](const char* name, std::optional<double>& into, const char* help) {
    parser.add_option(name, into, help)->check(finite())->check(kPositive);
  };
  parser.add_option("--muscle-mass", mass.source,
                    "Mass in the muscles, taken from the bones beside them: off, volumes (as "
                    "measured in legs), strength (F0 l0), or a table (.csv) of "
                    "muscle,mass,belly_begin,belly_end (" +
                        otherwise + ")");
  parser
      .add_option("--segment", mass.segments,
                  "body:share:muscles, e.g. tibia_r:0.8:soleus_r,tibant_r: this part of the body's "
                  "mass goes to the muscles")
      ->allow_extra_args(false);
  constexpr const char* kShareHelp = "Factor on the mass that is moved into muscles (1)";
  CLI::Option* share = shares ? parser
                                    .add_option("--share", *shares,
                                                std::string(kShareHelp) + "; a list compares them")
                                    ->delimiter(',')
                              : parser.add_option("--share", mass.share, kShareHelp);
  share->check(finite())->check(kNotNegative);
  positive("--specific-tension", mass.specific_tension,
           "Specific tension for masses by strength [MPa] (0.6)");
  positive("--height", mass.height,
           "Height of the person, for measured volumes [m] (from the mass of the model)");
}

void add_json(CLI::App& parser, bool& json) {
  parser.add_flag("--json", json, "Print one JSON object");
}

void add_format(CLI::App& parser, TableFormat& format) {
  static const std::map<std::string, TableFormat> kFormats = {{"sto", TableFormat::sto},
                                                              {"csv", TableFormat::csv}};
  parser.add_option("--format", format, "Format of the tables: OpenSim's .sto, or .csv")
      ->transform(CLI::CheckedTransformer(kFormats).description("sto or csv"))
      ->type_name("");
}

void add_report_flag(CLI::App& parser, bool& report) {
  parser.add_flag("--report", report, "Write report.html there, to look at in a browser")
      ->needs("--out");
}

void add_smoothing(CLI::App& parser, MotionOptions& smoothing) {
  parser.add_option("--cutoff", smoothing.cutoff, "Low-pass filter of the coordinates [Hz] (none)")
      ->check(finite())
      ->check(kPositive);
  parser.add_flag(
      "--opensim-filter", smoothing.opensim_filter,
      "Filter and differentiate as OpenSim's tools do, instead of with a smoothing spline");
  parser.add_option("--start", smoothing.start, "First time [s]")->check(finite());
  parser.add_option("--end", smoothing.end, "Last time [s]")->check(finite());
}

void add_motion_study(CLI::App& parser, MotionStudy& study, StudyOutput& output) {
  parser.add_option("--loads", study.loads, "External loads, OpenSim's XML")
      ->check(named())
      ->needs("motion");
  add_smoothing(parser, study.smoothing);
  add_set(parser, study.set);
  parser.add_option("--out", output.out, "Folder for tables and run.json")->check(named());
  add_format(parser, output.format);
  add_json(parser, output.json);
  add_report_flag(parser, output.report);
}

}  // namespace sinew::cli
