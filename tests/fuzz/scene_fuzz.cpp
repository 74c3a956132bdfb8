#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "fuzz/mutator.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/scene.hpp"
#include "support/source_dir.hpp"

/// Feeds mutated scenes to the reader and steps those that it accepts. Anything but success, a
/// sinew::Error or a StepReport that says no is a failure; so is a scene that takes longer than the
/// limit. The scene at hand is kept in a file, so that a crash leaves its cause behind.

namespace sinew::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Options {
  double seconds = 10;
  unsigned seed = 1;
  double limit = 10;   ///< [s] of processor time for one scene
  std::string replay;  ///< a file to run once, instead
};

struct Counts {
  long long scenes = 0, accepted = 0, steps = 0, failed_steps = 0;
};

const fs::path kSource = test::source_dir();
const fs::path kMeshFolder = kSource / "tests/fuzz/corpus";

std::vector<std::string> corpus() {
  std::vector<fs::path> paths;
  for (const fs::path& folder : {kSource / "scenes", kMeshFolder})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(read_text_file(path));
  return texts;
}

[[noreturn]] void fail(const std::string& why, const std::string& text) {
  const fs::path path = fs::temp_directory_path() / "sinew-fuzz-failure.json";
  std::ofstream(path) << text;
  fmt::print(stderr, "FAILED: {}\n  the scene is in {}\n", why, path.string());
  std::exit(1);
}

void on_alarm(int) {
  // Only what a signal handler may do; the scene is in the file named at the start.
  constexpr char kMessage[] = "FAILED: a scene takes longer than the limit\n";
  if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) _exit(2);
  _exit(1);
}

/// Starts the clock of one scene, or stops it (0). It counts the processor's time: a busy machine
/// is no defect of the scene.
void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// A few steps with the scene's own integrator and one other.
void step_scene(const Scene& scene, Integrator other, const std::string& text, Counts& counts) {
  // Newton factors a dense matrix: thousands of coordinates, and heaps of shapes inside each other,
  // are no defect, but would take the time of all other scenes.
  constexpr int kMostForNewton = 150;
  constexpr size_t kMostSurfaces = 8;
  const bool large = scene.system.dof_count() > kMostForNewton ||
                     scene.system.unilaterals().contacts.surfaces().size() > kMostSurfaces;
  for (const Integrator integrator : {scene.settings.step.integrator, other}) {
    StepOptions options = scene.settings.step;
    options.integrator = large ? Integrator::semi_implicit_euler : integrator;
    Workspace ws(scene.system);
    State state = scene.system.default_state();
    for (int k = 0; k < (large ? 1 : 3); ++k) {
      const StepReport report = step(scene.system, options, scene.settings.dt, state, ws);
      ++counts.steps;
      if (!state.q.allFinite() || !state.qdot.allFinite())
        fail("a state that is not finite after " + to_string(options.integrator), text);
      if (report.status == StepStatus::ok) continue;
      ++counts.failed_steps;
      break;
    }
  }
}

void run_scene(const std::string& text, Integrator other, Counts& counts) {
  ++counts.scenes;
  try {
    const Scene scene = parse_scene(text, "scene", kMeshFolder);
    ++counts.accepted;
    step_scene(scene, other, text, counts);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > 2000) fail("a message of no bearable length", text);
  } catch (const std::exception& error) {
    fail(fmt::format("an exception: {}", error.what()), text);
  }
}

int run(const Options& options) {
  std::signal(SIGPROF, on_alarm);
  Counts counts;
  if (!options.replay.empty()) {
    set_alarm(options.limit);
    for (const Integrator integrator : all_integrators())
      run_scene(read_text_file(options.replay), integrator, counts);
    fmt::print("survived\n");
    return 0;
  }

  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.json", getpid());
  fmt::print("seed {}, {} s; the scene at hand is {}\n", options.seed, options.seconds,
             current.string());
  std::fflush(stdout);
  Mutator mutator(corpus(), options.seed);
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * options.seconds));
  while (Clock::now() < end) {
    const std::string text = mutator.next();
    const Integrator other = all_integrators()[mutator.below(all_integrators().size())];
    std::ofstream(current) << text;
    set_alarm(options.limit);
    run_scene(text, other, counts);
    set_alarm(0);
  }
  fs::remove(current);
  fmt::print("{} scenes, {} of them accepted; {} steps, {} of them refused; no failure\n",
             counts.scenes, counts.accepted, counts.steps, counts.failed_steps);
  return 0;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  sinew::fuzz::Options options;
  CLI::App app("Feeds mutated scenes to the reader and steps those that it accepts");
  app.add_option("--seconds", options.seconds, "How long to go on");
  app.add_option("--seed", options.seed, "The same seed makes the same scenes");
  app.add_option("--limit", options.limit, "Seconds of processor time that one scene may take");
  app.add_option("--replay", options.replay, "Run this scene instead");
  CLI11_PARSE(app, argc, argv);
  return sinew::fuzz::run(options);
}
