#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <exception>
#include <functional>
#include <new>

#include "commands.hpp"
#include "console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/core/version.hpp"

namespace sinew::cli {
namespace {

constexpr const char* kSceneHelp = "Name of a scene (see `sinew scenes`), or a scene file";
constexpr const char* kModelHelp = "An .osim file, or a scene by name or file";
constexpr const char* kMotionHelp = "Coordinates over time, .mot or .sto";
constexpr const char* kSetHelp =
    "Change a value of the scene: path=value, e.g. simulation.dt=0.001, bodies.b1.joint.q0=[0.3]";

/// Numbers are finite: the parser itself takes "nan" and "inf".
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

/// A file or folder to write; an empty one, as an unset variable of a shell leaves it, is a
/// mistake.
const CLI::Validator& named() {
  static const CLI::Validator kNamed(
      [](std::string& text) {
        return text.empty() ? std::string("is empty: give a file or folder") : std::string();
      },
      "", "named");
  return kNamed;
}

int fail(const std::string& message) {
  say(fmt::format("sinew: error: {}\n", one_line(message)));
  return kBadInput;
}

int fail_output() {
  say("sinew: error: standard output cannot be written: check the disk or the program behind it\n");
  return kFailed;
}

/// The parser's complaint, and for a word it does not know the nearest it does.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const CLI::App& command = used.empty() ? app : *used.front();
  const std::string remedy = used.empty()
                                 ? "see `sinew --help`"
                                 : fmt::format("see `sinew {} --help`", command.get_name());
  const std::vector<std::string> unknown = app.remaining(true);
  // Of a misspelt command the parser only says that there is none.
  if (unknown.empty()) return error.what() + ("; " + remedy);

  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  std::string what = "argument";
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    what = "option";
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else if (used.empty()) {
    what = "command";
    for (const CLI::App* subcommand : app.get_subcommands({}))
      known.push_back(subcommand->get_name());
  }
  const std::string near = nearest_name(word, known);
  return fmt::format("unknown {} '{}'; {}", what, word,
                     near.empty() ? remedy : "did you mean '" + near + "'?");
}

/// The command line, fit to be pasted into a shell.
std::string as_typed(int argc, char** argv) {
  std::string out = "sinew";
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\\\$`*?[]{}()<>|&;!#~") == std::string::npos;
    out += ' ';
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word)
      if (c == '\'')
        out += "'\\''";
      else
        out += c;
    out += '\'';
  }
  return out;
}

class Program {
 public:
  Program() {
    app_.set_version_flag("--version", fmt::format("sinew {} ({})", version(), commit()));
    app_.require_subcommand(1);
    app_.footer("Start with\n  sinew scenes\n  sinew simulate double-pendulum");
    add_scenes();
    add_info();
    add_simulate();
    add_muscles();
    add_evaluate();
    add_id();
    add_compare_inertia();
    add_report();
    add_view();
    add_bench();
  }

  int run(int argc, char** argv) {
    if (argc < 2) {  // as git does: the help, and not a success
      say(app_.help());
      return kBadInput;
    }
    simulate_.command = compare_.command = id_.command = muscles_.command = as_typed(argc, argv);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
      return app_.exit(success);
    } catch (const CLI::ParseError& error) {
      return fail(explain(app_, error));
    }
    return command_();
  }

 private:
  void add_scenes() {
    CLI::App* c = app_.add_subcommand("scenes", "List the scenes that come with the program");
    c->add_flag("--json", scenes_.json, "Print one JSON object");
    c->footer("Example\n  sinew scenes");
    c->callback([this] { command_ = [this] { return run_scenes(scenes_); }; });
  }

  void add_info() {
    CLI::App* c =
        app_.add_subcommand("info", "Describe a scene or a model: bodies, coordinates, settings");
    c->add_option("scene", info_.scene, std::string(kSceneHelp) + ", or an OpenSim model (.osim)")
        ->required();
    c->add_flag("--strict", info_.strict, "Elements of a model that cannot be read are an error");
    c->add_option("--set", info_.set, kSetHelp)->allow_extra_args(false);
    c->add_flag("--json", info_.json, "Print one JSON object");
    c->footer("Examples\n  sinew info redmax-21\n  sinew info leg.osim --strict");
    c->callback([this] { command_ = [this] { return run_info(info_); }; });
  }

  void add_simulate() {
    CLI::App* c =
        app_.add_subcommand("simulate", "Simulate a scene or an OpenSim model, audit the run");
    SimulateOptions& o = simulate_;
    c->add_option("scene", o.scene, std::string(kSceneHelp) + ", or an OpenSim model (.osim)")
        ->required();
    c->add_option("--integrator", o.integrator,
                  "One of those that 'sinew info' lists for the scene; else the scene's own");
    c->add_option("--dt", o.dt, "Step [s]; dopri5 chooses its own")->check(finite());
    c->add_option("--until", o.until, "Simulated time [s]")->check(finite());
    c->add_option("--tolerance", o.tolerance, "Relative and absolute tolerance of dopri5")
        ->check(finite());
    c->add_option("--set", o.set, kSetHelp)->allow_extra_args(false);
    c->add_option("--excitation", o.excitations,
                  "Of a model's muscle: NAME=VALUE, 0 to 1; all=VALUE for those not named")
        ->allow_extra_args(false);
    c->add_option("--controls", o.controls, "Of a model: excitations over time (.sto)");
    c->add_option("--initial", o.initial,
                  "Of a model: first row of states (.sto), or NAME=VALUE, NAME/speed=VALUE, "
                  "NAME/activation=VALUE, NAME/fiber_length=VALUE [rad, m, s]")
        ->allow_extra_args(false);
    c->add_flag("--strict", o.strict, "Elements of a model that cannot be read are an error");
    c->add_option("--out", o.out, "Folder for states, bodies, energy, reactions, muscles, run.json")
        ->check(named());
    c->add_option("--loads", o.loads, "External loads, OpenSim's XML")->check(named());
    add_format(*c, o.format);
    c->add_flag("--report", o.report, "Write report.html there, to look at in a browser")
        ->needs("--out");
    c->add_flag("--json", o.json, "Print one JSON object");
    c->footer(
        "Examples\n"
        "  sinew simulate double-pendulum --out out/pendulum\n"
        "  sinew simulate arm.osim --excitation biceps=0.1 --excitation all=0.01 "
        "--initial elbow=0.7 --out out/arm\n"
        "  sinew simulate redmax-00 --integrator dopri5 --tolerance 1e-12 --until 0.5 --json\n"
        "  sinew simulate whip --set gravity=[0,0,0]\n"
        "Exit codes: 0 done, 2 bad input, 3 the simulation failed, 4 it finished but its audit "
        "failed, 130 interrupted.");
    c->callback([this] { command_ = [this] { return run_simulate(simulate_); }; });
  }

  void add_muscles() {
    CLI::App* c = app_.add_subcommand(
        "muscles", "Lengths, moment arms, forces, powers and importance of muscles");
    MusclesOptions& o = muscles_;
    c->add_option("model", o.model, kModelHelp)->required();
    c->add_option("motion", o.motion, std::string(kMotionHelp) + "; without it the default pose");
    c->add_option("--activation", o.activation,
                  "Of all muscles, 0 to 1; without it each has its own initial one")
        ->check(finite())
        ->check(CLI::Range(0.0, 1.0))
        ->needs("motion");
    c->add_option("--states", o.states, "Activations and fibre lengths over time, .sto")
        ->needs("motion")
        ->excludes("--activation");
    c->add_option("--controls", o.controls, "Excitations over time, .sto")
        ->needs("motion")
        ->excludes("--activation")
        ->excludes("--states");
    c->add_option("--coordinate", o.coordinate, "Over the range of this coordinate");
    c->add_option("--range", o.range, "Other than its own, or 0.5 rad either side")
        ->expected(2)
        ->check(finite())
        ->needs("--coordinate");
    c->add_flag("--rank", o.rank, "Order the muscles by how much their inertia changes the bones'");
    c->add_option("--samples", o.samples, "Values of the coordinate, or poses to rank in");
    c->add_option("--seed", o.seed, "Of the poses to rank in");
    c->add_option("--specific-tension", o.specific_tension,
                  "Of OpenSim's muscles, from which the masses to rank follow [MPa] (0.25)")
        ->check(finite())
        ->check(CLI::PositiveNumber);
    add_smoothing(*c, o);
    c->add_option("--set", o.set, kSetHelp)->allow_extra_args(false);
    c->add_option("--out", o.out,
                  "Folder for OpenSim's MuscleAnalysis tables; file for the one over a coordinate")
        ->check(named());
    add_format(*c, o.format);
    add_report_flag(*c, o);
    c->get_option("--report")->needs("motion");
    c->add_flag("--json", o.json, "Print one JSON object");
    c->footer(
        "Examples\n"
        "  sinew muscles leg.osim swing.mot --activation 0.5 --out out/muscles --report\n"
        "  sinew muscles leg.osim --coordinate knee_angle_r --out knee.sto\n"
        "  sinew muscles wrap-pendulum --coordinate elbow --range -1.4 1.4 --out elbow.sto\n"
        "  sinew muscles wrap-family --rank");
    c->callback([this] { command_ = [this] { return run_muscles(muscles_); }; });
  }

  void add_evaluate() {
    CLI::App* c = app_.add_subcommand(
        "evaluate", "What a model or scene is and does in given poses, as one JSON object");
    EvaluateOptions& o = evaluate_;
    c->add_option("model", o.model, kModelHelp)->required();
    c->add_option("poses", o.poses, "JSON with \"coordinates\" and \"poses\" of q, u, udot")
        ->required();
    c->add_option("--out", o.out, "File for the result; without it, the screen")->check(named());
    c->add_flag("--json", o.json, "Print the object also where --out files it");
    c->add_flag("--strict", o.strict, "Elements of the model that cannot be read are an error");
    c->footer(
        "Example\n"
        "  sinew evaluate leg.osim poses.json --out result.json\n"
        "docs/opensim.md lists the keys of both files.");
    c->callback([this] { command_ = [this] { return run_evaluate(evaluate_); }; });
  }

  /// How coordinates are read, filtered and differentiated.
  static void add_smoothing(CLI::App& c, MotionStudyOptions& o) {
    c.add_option("--cutoff", o.smoothing.cutoff, "Low-pass filter of the coordinates [Hz] (none)")
        ->check(finite())
        ->check(CLI::PositiveNumber);
    c.add_flag("--opensim-filter", o.smoothing.opensim_filter,
               "Filter and differentiate as OpenSim's tools do, instead of by a smoothing spline");
    c.add_option("--start", o.smoothing.start, "First time [s]")->check(finite());
    c.add_option("--end", o.smoothing.end, "Last time [s]")->check(finite());
  }

  /// What studies of motions have in common.
  static void add_motion_study(CLI::App& c, MotionStudyOptions& o) {
    c.add_option("--loads", o.loads, "External loads, OpenSim's XML")
        ->check(named())
        ->needs("motion");
    add_smoothing(c, o);
    c.add_option("--set", o.set, kSetHelp)->allow_extra_args(false);
    c.add_option("--out", o.out, "Folder for tables and run.json")->check(named());
    add_format(c, o.format);
    c.add_flag("--json", o.json, "Print one JSON object");
  }

  static void add_report_flag(CLI::App& c, MotionStudyOptions& o) {
    c.add_flag("--report", o.report, "Write report.html there, to look at in a browser")
        ->needs("--out");
  }

  void add_id() {
    CLI::App* c = app_.add_subcommand("id", "Inverse dynamics of a motion, with external loads");
    c->add_option("model", id_.model, kModelHelp + std::string("; alone: a setup file of OpenSim"))
        ->required();
    c->add_option("motion", id_.motion, kMotionHelp);
    add_motion_study(*c, id_);
    add_report_flag(*c, id_);
    c->footer(
        "Examples\n"
        "  sinew id leg.osim swing.mot --cutoff 6 --out out/id\n"
        "  sinew id subject.osim walk.mot --loads walk_grf.xml --cutoff 6 --opensim-filter\n"
        "  sinew id setup_id.xml --json");
    c->callback([this] { command_ = [this] { return run_id(id_); }; });
  }

  void add_compare_inertia() {
    CLI::App* c = app_.add_subcommand("compare-inertia",
                                      "What muscle mass changes in the moments of a motion");
    c->add_option("model", compare_.model, kModelHelp)->required();
    c->add_option("motion", compare_.motion, kMotionHelp)->required();
    c->add_option("--muscles", compare_.muscles,
                  "Table of their masses and bellies: muscle,mass,belly_begin,belly_end (.csv)");
    c->add_option("--segment", compare_.segments,
                  "body:share:muscles, e.g. tibia_r:0.8:soleus_r,tibant_r: this part of the body's "
                  "mass is that of the muscles")
        ->allow_extra_args(false);
    c->add_option("--share", compare_.share,
                  "Part of the muscles' masses, taken from the bodies that they lie along")
        ->check(finite())
        ->check(CLI::NonNegativeNumber)
        ->excludes("--segment");
    c->add_option("--specific-tension", compare_.specific_tension,
                  "Of OpenSim's muscles, from which their masses follow [MPa] (0.25)")
        ->check(finite())
        ->check(CLI::PositiveNumber);
    add_motion_study(*c, compare_);
    add_report_flag(*c, compare_);
    c->footer(
        "Example\n"
        "  sinew compare-inertia leg.osim swing.mot --muscles muscles.csv "
        "--segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r");
    c->callback([this] { command_ = [this] { return run_compare_inertia(compare_); }; });
  }

  void add_report() {
    CLI::App* c =
        app_.add_subcommand("report", "Make a page to look at of a run: 3D, plots, audit");
    c->add_option(
         "run", report_.run,
         "Folder that `simulate`, `id`, `muscles` or `compare-inertia` has written (--out)")
        ->required();
    c->add_option("--beside", report_.beside,
                  "Folder of a second run, no comparison: drawn as a ghost, its curves dashed");
    c->add_option("--out", report_.out, "File to write (report.html in the folder)")
        ->check(named());
    c->add_flag("--json", report_.json, "Print one JSON object with the file's path");
    c->footer(
        "Examples\n"
        "  sinew simulate wrap-pendulum --out out/arm\n"
        "  sinew report out/arm\n"
        "  sinew report out/arm --beside out/lumped\n"
        "The page is one file and needs no network: docs/report.md.");
    c->callback([this] { command_ = [this] { return run_report(report_); }; });
  }

  void add_view() {
    CLI::App* c = app_.add_subcommand(
        "view", "Look at a scene or a model in the browser, live: pose, drive, run, pull");
    c->add_option("model", view_.model, kModelHelp)->required();
    c->add_option("--port", view_.port, "Of the server, on this machine alone (any that is free)")
        ->check(CLI::Range(1, 65535));
    c->add_flag("!--no-browser", view_.browser, "Print the address, open no browser");
    c->add_option("--set", view_.set, kSetHelp)->allow_extra_args(false);
    c->add_flag("--json", view_.json, "Print one JSON object with address and port");
    c->footer(
        "Examples\n"
        "  sinew view wrap-pendulum\n"
        "  sinew view models/leg/leg.osim\n"
        "  sinew view knee-spline --no-browser --port 8080\n"
        "Ctrl-C ends it. The address holds a token: who has it can use the page. docs/view.md.");
    c->callback([this] { command_ = [this] { return run_view(view_); }; });
  }

  static void add_format(CLI::App& c, TableFormat& format) {
    static const std::map<std::string, TableFormat> kFormats = {{"sto", TableFormat::sto},
                                                                {"csv", TableFormat::csv}};
    c.add_option("--format", format, "Of the tables: OpenSim's .sto, or .csv")
        ->transform(CLI::CheckedTransformer(kFormats).description("sto or csv"))
        ->type_name("");
  }

  void add_bench() {
    CLI::App* c = app_.add_subcommand("bench", "Measure how long steps take on this machine");
    c->add_option(
        "scenes", bench_.scenes,
        "Scenes to step, or .osim models whose forward dynamics to evaluate; without any, "
        "chains and a few scenes");
    c->add_option("--integrator", bench_.integrator, "Instead of each scene's own");
    c->add_option("--seconds", bench_.seconds, "Time for each line")->check(finite());
    c->add_flag("--json", bench_.json, "Print one JSON object");
    c->footer("Examples\n  sinew bench whip --integrator rk4\n  sinew bench arm26.osim");
    c->callback([this] { command_ = [this] { return run_bench(bench_); }; });
  }

  CLI::App app_{"Sinew: skeletons whose muscles have mass", "sinew"};
  ScenesOptions scenes_;
  InfoOptions info_;
  SimulateOptions simulate_;
  MusclesOptions muscles_;
  EvaluateOptions evaluate_;
  IdOptions id_;
  CompareOptions compare_;
  ReportOptions report_;
  ViewOptions view_;
  BenchOptions bench_;
  std::function<int()> command_;
};

}  // namespace
}  // namespace sinew::cli

int main(int argc, char** argv) {
  using namespace sinew::cli;
  try {
    const int code = Program().run(argc, argv);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : fail_output();
  } catch (const sinew::Error& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    say("sinew: out of memory\n");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return fail_output();
    say(fmt::format("sinew: internal error: {}\n", one_line(error.what())));
  }
  return kInternal;
}
