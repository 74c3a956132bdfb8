#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "scene_library.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/scene.hpp"

namespace sinew::cli {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

struct Measurement {
  std::string name;
  int coordinates = 0;
  Integrator integrator;
  double dt = 0;
  double step_seconds = 0;  ///< of the fastest batch: what else the machine does only adds to it
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

/// Steps from the scene's start, again and again where it ends, for about `seconds`.
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
  const Clock::time_point start = Clock::now();
  const auto elapsed = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  Measurement out{scene.name, scene.system.dof_count(), options.integrator, settings.dt, 1e300};
  long long batch = 1;
  while (elapsed(start) < seconds) {
    const Clock::time_point batch_start = Clock::now();
    for (long long i = 0; i < batch; ++i) advance();
    const double took = elapsed(batch_start);
    out.step_seconds = std::min(out.step_seconds, took / static_cast<double>(batch));
    if (took < seconds / 50) batch *= 2;
  }
  return out;
}

void print_header() {
  fmt::print("sinew {} ({})\n\n", version(), commit());
  fmt::print("  {:<18} {:>11}  {:<24} {:>10} {:>12} {:>10}\n", "scene", "coordinates", "integrator",
             "µs/step", "steps/s", "real time");
}

void print_row(const Measurement& m) {
  fmt::print("  {:<18} {:>11}  {:<24} {:>9.3g} {:>12.4g} {:>9.3g}x\n", m.name, m.coordinates,
             to_string(m.integrator), 1e6 * m.step_seconds, 1 / m.step_seconds,
             m.dt / m.step_seconds);
  std::fflush(stdout);
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

}  // namespace

int run_bench(const BenchOptions& options) {
  if (options.integrator) integrator_from_string(*options.integrator);  // before any waiting
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw Error("--seconds", "is out of range", "give a positive number of seconds");
  std::vector<Scene> scenes;
  for (const std::string& name : options.scenes) scenes.push_back(load_scene(find_scene(name)));
  if (scenes.empty()) {
    for (const int n : {2, 10, 100, 1000}) scenes.push_back(chain(n));
    for (const char* name : {"double-pendulum", "flower-beads", "redmax-00", "whip"})
      scenes.push_back(load_scene(find_scene(name)));
  }

  ordered_json rows = ordered_json::array();
  if (!options.json) print_header();
  for (const Scene& scene : scenes) {
    const Measurement m = measure(scene, options.integrator, options.seconds);
    rows.push_back(to_json(m));
    if (!options.json) print_row(m);
  }
  if (options.json)
    fmt::print("{}\n", ordered_json{{"sinew", std::string(version())},
                                    {"commit", std::string(commit())},
                                    {"results", rows}}
                           .dump(2));
  return kOk;
}

}  // namespace sinew::cli
