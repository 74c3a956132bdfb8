#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/recorded_run.hpp"
#include "sinew/report/report.hpp"
#include "sinew/report/report_series.hpp"
#include "sinew/report/simulation_record.hpp"
#include "sinew/strands/strands.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct SimulateOptions {
  std::string scene;  ///< or an .osim model
  std::vector<std::string> set;
  RunOptions run;
  MuscleMassOptions mass;
  bool strict = false;  ///< of models: what cannot be read is an error
  bool smooth_paths = false, blended_activation = false;  ///< of models
  std::string loads;                                      ///< ExternalLoads XML; empty: none
  std::optional<std::string> integrator;
  std::optional<double> dt, until, tolerance, accuracy, least_step, output_interval;
  std::optional<int> audit_every;
  std::string steps;  ///< table of the steps to repeat; empty: none
  StudyOutput output;
};

/// What is simulated.
struct Run {
  const LoadedModel& model;
  System system;
  SimulationSettings settings;
};

/// The table `steps` of an earlier run.
std::vector<TakenStep> read_steps(const std::string& path) {
  const MotionTable table = read_result_table(path);
  const int length = table.column("length"), next = table.column("next_length");
  std::vector<TakenStep> out;
  for (size_t k = 0; k < table.times.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    out.push_back({table.times[k], table.values(row, length), table.values(row, next)});
  }
  return out;
}

SimulationSettings settings_of(const LoadedModel& model, const SimulateOptions& options) {
  SimulationSettings settings = model.settings;
  StepOptions& step = settings.step;
  if (options.integrator) {
    step.integrator = integrator_from_string(*options.integrator);
    if (!info(step.integrator).estimates) step.accuracy = 0;
  }
  if (options.dt) {
    settings.dt = *options.dt;
    step.accuracy = 0;
  }
  if (options.until) settings.until = *options.until;
  if (options.output_interval) settings.output_interval = *options.output_interval;
  if (options.tolerance) {
    step.relative_tolerance = step.absolute_tolerance = *options.tolerance;
    step.accuracy = 0;
  }
  if (options.accuracy) step.accuracy = *options.accuracy;
  if (options.least_step) step.least_step = *options.least_step;
  if (options.audit_every) settings.audit_every = *options.audit_every;
  if (!options.steps.empty()) settings.repeated_steps = read_steps(options.steps);
  return settings;
}

RecordedRun simulate_model(const System& system, const SimulationSettings& settings,
                           RunFolder* folder, const InterruptGuard& interrupt) {
  ProgressBar progress(settings.until);
  return run_and_record(
      system, settings, system.controls(), initial_state(system, settings.step), folder,
      [&](double t) { progress.update(t); }, &interrupt.flag());
}

void print_final(const System& system, const RecordedRun& out) {
  constexpr size_t kShown = 12;
  const auto& coordinates = system.all_coordinates();
  fmt::print("\n  {:<24} {:>14} {:>14}\n", "coordinate", "value", "speed");
  for (size_t k = 0; k < std::min(kShown, coordinates.size()); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    fmt::print("  {:<24} {:>14.6g} {:>14.6g}\n", coordinates[k].name, out.q[i], out.qdot[i]);
  }
  if (coordinates.size() > kShown) fmt::print("  … and {} more\n", coordinates.size() - kShown);
}

void print_audit(const System& system, const RecordedRun& out, const StepOptions& options) {
  const AuditReport& audit = out.audit;
  fmt::print("\n  energy  kinetic {:.6g} J, potential {:+.6g} J since the start, work {:+.6g} J\n",
             out.energy.kinetic, out.potential_change(), out.work);
  for (const std::string& redundancy : system.redundancies())
    fmt::print("  warning {}\n", redundancy);
  const bool constrained = !system.constraints().empty();
  if (!audit.passed) {
    fmt::print("\n  *** AUDIT FAILED: {} ***\n  {}\n", audit.verdict, audit.remedy);
    fmt::print("  energy error {:.3g}, Newton residual {:.3g}", audit.energy_error,
               audit.newton_residual);
    if (constrained) fmt::print(", constraint error {:.3g}", audit.constraint_error);
    fmt::print("\n");
    return;
  }
  if (info(options.integrator).energy_judged)
    fmt::print("  audit   passed: energy error {:.3g}", audit.energy_error);
  else
    fmt::print(
        "  audit   passed: of the energy it had, the run lost {:.2g} % to the integrator, which is "
        "not judged, and gained {:.2g} %, {:g} % accepted",
        100 * audit.energy_loss, 100 * audit.energy_gain, 100 * out.accepted_gain);
  if (info(options.integrator).implicit)
    fmt::print(", Newton residual {:.3g}", audit.newton_residual);
  if (constrained)
    fmt::print(", constraint error {:.3g}{}", audit.constraint_error,
               options.projection ? "" : " (not judged: no projection)");
  fmt::print("\n");
}

void print(const Run& run, const RecordedRun& out) {
  const auto& [model, system, settings] = run;
  fmt::print("{}: {}\n", model.name, model.title);
  const size_t constraints = system.constraints().size();
  const bool adaptive = is_adaptive(settings.step);
  const size_t muscles = system.muscles().size();
  const int vertices = (system.soft() ? system.soft()->free_count() : 0) +
                       (system.strands() ? system.strands()->free_vertex_count() : 0);
  fmt::print("  {}, {}, {} bodies, {} coordinates{}{}{}\n", to_string(settings.step.integrator),
             describe_steps(settings), system.skeleton().body_count(), system.coordinates().size(),
             vertices == 0 ? "" : fmt::format(", {} free vertices", vertices),
             muscles == 0 ? "" : fmt::format(", {} muscle{}", muscles, muscles == 1 ? "" : "s"),
             constraints == 0
                 ? ""
                 : fmt::format(", {} constraint{}", constraints, constraints == 1 ? "" : "s"));
  if (model.muscle_mass)
    for (const std::string& remark : remarks_of(*model.muscle_mass))
      fmt::print("  mass    {}\n", remark);
  fmt::print("  {} steps to t = {:g} s in {:.3f} s", out.result.steps, out.state.t,
             out.wall_seconds);
  if (out.wall_seconds > 0) fmt::print(" ({:.3g} times real time)", out.state.t / out.wall_seconds);
  if (!adaptive && out.result.rejected > 0)
    fmt::print("; steps halved where they failed: {}", out.result.rejected);
  fmt::print("\n");
  if (const PartEvent& event = out.result.event; event.wanted)
    fmt::print("  {} at t = {:.9g} s: the run ends there\n", event.text, event.time);
  if (out.result.inaccurate > 0)
    fmt::print(
        "  {} of them have the least length ({:g} s) and a larger error than allowed, up to {:.2g} "
        "times at t = {:g} s\n",
        out.result.inaccurate, settings.step.least_step, out.result.largest_excess,
        out.result.excess_time);
  print_final(system, out);
  print_audit(system, out, settings.step);
}

int exit_code(const RecordedRun& out) {
  switch (out.result.end) {
    case SimulationEnd::finished:
      return out.audit.passed ? kOk : kAuditFailed;
    case SimulationEnd::failed:
      return kFailed;
    case SimulationEnd::interrupted:
      return kInterrupted;
  }
  return kInternal;
}

int run_simulate(const SimulateOptions& options, const std::string& typed) {
  MuscleMassOptions mass = options.mass;
  mass.strict = options.strict;
  const LoadOptions load{.set = options.set,
                         .run = options.run,
                         .loads = options.loads,
                         .strict = options.strict,
                         .mass = mass,
                         .smooth_paths = options.smooth_paths,
                         .blended_activation = options.blended_activation};
  const LoadedModel model = load_model(options.scene, load);
  print_warnings(model.warnings);
  print_warnings(model.left_out);
  const Run run{model, model.system(), settings_of(model, options)};
  const SimulationOrigin origin{model, run.system, run.settings, load, typed};
  print_warnings(moved_starts(model, run.system, run.settings));
  const State start = initial_state(run.system, run.settings.step);
  warn_of_start(model, run.system, start);
  const InterruptGuard interrupt;  // until all is written
  std::optional<RunFolder> folder;
  if (!options.output.out.empty())
    folder.emplace(options.output.out, options.output.format, model.name, run.system,
                   model.state_names, is_adaptive(run.settings.step));

  RecordedRun out;
  if (folder) folder->describe(record_simulation(origin, describe_unfinished(origin)));
  try {
    out = simulate_model(run.system, run.settings, folder ? &*folder : nullptr, interrupt);
  } catch (const Error& error) {
    // This run has results and cannot write more; other runs were refused.
    if (!folder || !folder->taken_over()) throw;
    folder->abandon(error.what());
    say(fmt::format("sinew: error: {}; the rows before are kept\n", one_line(error.what())));
    return kFailed;
  }
  const ordered_json report = describe_simulation(origin, out);
  if (folder) folder->finish(record_simulation(origin, report));
  std::string page;
  if (options.output.report) page = write_report(options.output.out).string();

  if (options.output.json)
    fmt::print("{}\n", json_text(report));
  else
    print(run, out);
  if (folder && !options.output.json)
    fmt::print("  output  {} ({} rows each)\n", folder->folder().string(), folder->rows());
  if (!page.empty() && !options.output.json)
    fmt::print("  report  {}: open it in a browser\n", page);
  std::fflush(stdout);
  warn_of_end(model, start, out.state);
  if (out.result.end == SimulationEnd::failed)
    say(fmt::format("sinew: the simulation failed: {}; the last good state is kept\n",
                    out.failure));
  if (out.result.end == SimulationEnd::interrupted)
    say(fmt::format("sinew: interrupted at t = {:g} s; what was computed is kept\n", out.state.t));
  if (!out.audit.passed)
    say(fmt::format("sinew: AUDIT FAILED: {}; {}\n", out.audit.verdict, out.audit.remedy));
  return exit_code(out);
}

/// The integrators that can choose the length of their steps.
std::string estimating_integrators() {
  std::string names;
  for (const IntegratorInfo& method : integrator_table())
    if (method.estimates) names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

}  // namespace

Command add_simulate(CLI::App& program) {
  CLI::App* c =
      program.add_subcommand("simulate", "Simulate a scene or an OpenSim model, audit the run");
  const auto o = std::make_shared<SimulateOptions>();
  c->add_option("scene", o->scene, kSceneHelp)->required();
  c->add_option("--integrator", o->integrator,
                "One of those that 'sinew info' lists for the scene (default: the scene's own)");
  c->add_option("--dt", o->dt, "Step [s]: all are of this length; dopri5 chooses its own")
      ->check(finite());
  c->add_option(
       "--accuracy", o->accuracy,
       "The error that a step may add [rad, m, optimal fibre lengths]: the run chooses its "
       "steps (" +
           estimating_integrators() + "; OpenSim models: 1e-4)")
      ->check(finite())
      ->check(positive());
  c->add_option("--least-step", o->least_step,
                "Least length of a step by accuracy [s]. A step of this length is accepted "
                "whatever its error, and counted (default: the scene's, 0; OpenSim models: 1e-4)")
      ->check(finite());
  c->add_option("--until", o->until, "Simulated time [s]")->check(finite());
  c->add_option("--tolerance", o->tolerance,
                "Relative and absolute tolerance of dopri5, in place of an accuracy")
      ->check(finite());
  c->add_option(
       "--output-interval", o->output_interval,
       "Time between rows of the tables [s]; 0: every step (default: the scene's, 0; OpenSim "
       "models: 0.01)")
      ->check(finite());
  c->add_option("--steps", o->steps,
                "Repeat the steps of an earlier run that chose its own: its table 'steps'")
      ->check(named());
  c->add_option("--audit-every", o->audit_every,
                "Steps between two looks of the audit at energies and paths (default: the "
                "scene's, 1)")
      ->check(CLI::Range(1, 1000000));
  add_set(*c, o->set);
  add_run_options(*c, o->run);
  add_muscle_mass(*c, o->mass, "as the scene says; OpenSim models: off");
  c->add_flag(
      "--strict", o->strict,
      "Elements of an OpenSim model that cannot be read are an error, and bones that cannot "
      "give the mass of the muscles beside them");
  c->add_flag(
      "--smooth-paths", o->smooth_paths,
      "Muscles of an OpenSim model pull along routes that are fixed and smooth, as in tasks");
  c->add_flag("--blended-activation", o->blended_activation,
              "Activations of an OpenSim model follow excitations without a kink, as in tasks");
  c->add_option("--out", o->output.out,
                "Folder for states, bodies, energy, reactions, muscles, run.json")
      ->check(named());
  c->add_option("--loads", o->loads, "External loads, OpenSim's XML")->check(named());
  add_format(*c, o->output.format);
  add_report_flag(*c, o->output.report);
  add_json(*c, o->output.json);
  c->footer(
      "Examples\n"
      "  sinew simulate double-pendulum --out out/pendulum\n"
      "  sinew simulate arm.osim --excitation biceps=0.1 --excitation all=0.01 "
      "--initial elbow=0.7 --out out/arm\n"
      "  sinew simulate redmax-00 --integrator dopri5 --tolerance 1e-12 --until 0.5 --json\n"
      "  sinew simulate whip --set gravity=[0,0,0]\n"
      "  sinew simulate gait2392.osim --muscle-mass volumes --until 0.2\n"
      "  sinew simulate leg.osim --set /forceset/soleus_r/max_isometric_force=4000\n"
      "  sinew simulate knee-spline --excitation soleus=0.8 --initial ankle_angle=0.1\n"
      "Exit codes: 0 done, 2 bad input, 3 the simulation failed, 4 it finished but its audit "
      "failed, 130 interrupted.");
  return {c, [o](const std::string& typed) { return run_simulate(*o, typed); }};
}

}  // namespace sinew::cli
