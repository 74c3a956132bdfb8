#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/osim/osim_timing.hpp"

namespace sinew::cli {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::string> scenes;
  std::vector<std::string> set;
  std::optional<std::string> integrator;
  MuscleMassOptions mass;
  double seconds = 0.5;  ///< for each line of the table
  bool json = false;
};

struct Measurement {
  std::string name;
  int coordinates = 0;
  Integrator integrator;
  double dt = 0;
  double step_seconds = 0;  ///< of the fastest batch: other load only adds to it
};

/// A chain of n links on parallel hinges.
Scene chain(int n) {
  const std::string text = fmt::format(R"({{
    "sinew_scene": 1, "gravity": [0, -9.81, 0],
    "bodies": [{{
      "name": "link{{}}", "count": {}, "parent": "world",
      "joint": {{"type": "revolute", "axis": [0, 0, 1], "placement": [0.05, 0, 0], "q0": 0.01}},
      "placement": [0.05, 0, 0],
      "shapes": [{{"type": "cuboid", "sides": [0.1, 0.02, 0.02], "density": 1000}}]
    }}],
    "simulation": {{"integrator": "semi-implicit-euler", "dt": 1e-4}}
  }})",
                                       n);
  Scene scene = parse_scene(text, "chain", {});
  scene.name = fmt::format("chain of {}", n);
  return scene;
}

/// Seconds per call in the fastest of the batches run within `seconds`.
template <class Call>
double fastest(double seconds, Call&& call) {
  const Clock::time_point start = Clock::now();
  const auto elapsed = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  double best = 1e300;
  long long batch = 1;
  while (elapsed(start) < seconds) {
    const Clock::time_point batch_start = Clock::now();
    for (long long i = 0; i < batch; ++i) call();
    const double took = elapsed(batch_start);
    best = std::min(best, took / static_cast<double>(batch));
    if (took < seconds / 50) batch *= 2;
  }
  return best;
}

/// Steps from the scene's start for about `seconds`, restarting when it ends.
Measurement measure(const Scene& scene, std::optional<std::string> integrator, double seconds) {
  const SimulationSettings& settings = scene.settings;
  StepOptions options = settings.step;
  if (integrator) options.integrator = integrator_from_string(*integrator);
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  const auto advance = [&] {
    if (step(scene.system, options, settings.dt, state, ws).status != StepStatus::ok ||
        state.t >= settings.until)
      state = scene.system.default_state();
  };

  advance();  // buffers get their size
  return {scene.name, scene.system.dof_count(), options.integrator, settings.dt,
          fastest(seconds, advance)};
}

/// Time of one evaluation of a model's equations.
struct ModelMeasurement {
  std::string name;
  int bodies = 0, coordinates = 0, muscles = 0, poses = 0;
  double muscle_mass = 0;  ///< [kg]
  double accelerations_seconds = 0, rates_seconds = 0;
};

/// Without mass in the muscles and, unless it is off or there are none, with.
std::vector<ModelMeasurement> measure_model(const OsimModel& model, const MuscleMassOptions& mass,
                                            double seconds) {
  print_warnings(model.warnings);
  const bool has_muscles = std::any_of(model.paths.begin(), model.paths.end(),
                                       [](const OsimPath& p) { return p.pulls(); });
  std::vector<ModelMeasurement> out;
  for (const bool massive : {false, true}) {
    if (massive && (!has_muscles || mass.off())) continue;
    OsimTiming timing(model, massive ? mass : MuscleMassOptions{.source = "off"});
    ModelMeasurement& m = out.emplace_back();
    m.name = model.path.stem().string();
    m.bodies = timing.system().skeleton().body_count();
    m.coordinates = timing.system().dof_count();
    m.muscles = static_cast<int>(timing.system().hill_muscles().size());
    m.poses = timing.poses();
    m.muscle_mass = timing.moved();
    m.accelerations_seconds = fastest(seconds / 4, [&] { timing.accelerations(); }) / m.poses;
    m.rates_seconds = fastest(seconds / 4, [&] { timing.rates(); }) / m.poses;
  }
  return out;
}

void print_scene_header() {
  fmt::print("\n  {:<18} {:>11}  {:<24} {:>10} {:>12} {:>10}\n", "scene", "coordinates",
             "integrator", "µs/step", "steps/s", "real time");
}

void print_row(const Measurement& m) {
  fmt::print("  {:<18} {:>11}  {:<24} {:>9.3g} {:>12.4g} {:>9.3g}x\n", m.name, m.coordinates,
             to_string(m.integrator), 1e6 * m.step_seconds, 1 / m.step_seconds,
             m.dt / m.step_seconds);
  std::fflush(stdout);
}

void print_model_header() {
  fmt::print(
      "\n  forward dynamics with all muscles, mean of poses; q̈ alone, and with the rates of "
      "fibres and activations\n");
  fmt::print("  {:<28} {:>6} {:>11} {:>7} {:>15} {:>8} {:>12}\n", "model", "bodies", "coordinates",
             "muscles", "mass in muscles", "µs", "µs, all rates");
}

void print_row(const ModelMeasurement& m) {
  fmt::print("  {:<28} {:>6} {:>11} {:>7} {:>12.3g} kg {:>8.3g} {:>12.3g}\n", m.name, m.bodies,
             m.coordinates, m.muscles, m.muscle_mass, 1e6 * m.accelerations_seconds,
             1e6 * m.rates_seconds);
  std::fflush(stdout);
}

ordered_json to_json(const ModelMeasurement& m) {
  return {{"model", m.name},
          {"bodies", m.bodies},
          {"coordinates", m.coordinates},
          {"muscles", m.muscles},
          {"poses", m.poses},
          {"muscle_mass", m.muscle_mass},
          {"microseconds_per_acceleration", 1e6 * m.accelerations_seconds},
          {"microseconds_per_rate", 1e6 * m.rates_seconds}};
}

ordered_json to_json(const Measurement& m) {
  return {{"scene", m.name},
          {"coordinates", m.coordinates},
          {"integrator", to_string(m.integrator)},
          {"dt", m.dt},
          {"microseconds_per_step", 1e6 * m.step_seconds},
          {"steps_per_second", 1 / m.step_seconds},
          {"real_time_factor", m.dt / m.step_seconds}};
}

int run_bench(const BenchOptions& options) {
  if (options.integrator)
    integrator_from_string(*options.integrator);  // checked before the measurements
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw Error("--seconds", "is out of range", "give a positive number of seconds");
  std::vector<std::shared_ptr<const Scene>> scenes;
  std::vector<std::shared_ptr<const OsimModel>> models;
  const auto load = [&](const std::string& name) {
    LoadedModel model = load_model(name, {.set = options.set});
    // Those of OpenSim are measured without mass in the muscles and with.
    if (model.scene) model = load_model(name, {.set = options.set, .mass = options.mass});
    warn_of_start(model);
    if (model.scene) scenes.push_back(model.scene);
    if (model.osim) models.push_back(model.osim);
  };
  for (const std::string& name : options.scenes) load(name);
  if (options.integrator && scenes.empty() && !models.empty())
    throw Error("--integrator", "is for scenes", "omit it: models are not stepped");
  if (options.scenes.empty()) {
    if (!options.set.empty())
      throw Error("--set", "changes scenes and models that are named", "name one");
    for (const int n : {2, 10, 100, 1000}) scenes.push_back(std::make_shared<Scene>(chain(n)));
    for (const char* name : {"double-pendulum", "flower-beads", "redmax-00", "whip"}) load(name);
  }

  ordered_json rows = ordered_json::array();
  if (!options.json) fmt::print("sinew {} ({})\n", version(), commit());
  if (!options.json && !scenes.empty()) print_scene_header();
  const auto report = [&](const auto& m) {
    rows.push_back(to_json(m));
    if (options.json) return;
    print_row(m);
    std::fflush(stdout);  // a signal ends the program here
  };
  for (const auto& scene : scenes) report(measure(*scene, options.integrator, options.seconds));
  if (!options.json && !models.empty()) print_model_header();
  for (const auto& model : models)
    for (const ModelMeasurement& m : measure_model(*model, options.mass, options.seconds))
      report(m);
  if (options.json)
    fmt::print("{}\n", ordered_json{{"sinew", std::string(version())},
                                    {"commit", std::string(commit())},
                                    {"results", rows}}
                           .dump(2));
  return kOk;
}

}  // namespace

Command add_bench(CLI::App& program) {
  CLI::App* c = program.add_subcommand("bench", "Measure how long steps take on this machine");
  const auto o = std::make_shared<BenchOptions>();
  c->add_option("scenes", o->scenes,
                "Scenes to step, or .osim models whose forward dynamics to evaluate; without any, "
                "chains and a few scenes");
  c->add_option("--integrator", o->integrator, "Instead of each scene's own");
  c->add_option("--seconds", o->seconds, "Time for each line")->check(finite());
  add_set(*c, o->set);
  add_muscle_mass(*c, o->mass, "as the scene says; OpenSim models: without, and by volumes");
  add_json(*c, o->json);
  c->footer("Examples\n  sinew bench whip --integrator rk4\n  sinew bench arm26.osim");
  return {c, [o](const std::string&) { return run_bench(*o); }};
}

}  // namespace sinew::cli
