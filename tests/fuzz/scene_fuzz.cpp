#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "fuzz/mutator.hpp"
#include "fuzz/readers.hpp"
#include "fuzz/scene_steps.hpp"
#include "sinew/core/error.hpp"
#include "support/source_dir.hpp"

/// Feeds mutated scenes to the reader and steps those that it accepts. Anything but success, a
/// sinew::Error or a failed StepReport is a failure; so is a scene that takes longer than the
/// limit. The scene at hand is kept in a file, so that a crash leaves its cause behind. Stopped by
/// a signal it tells how far it came.

namespace sinew::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Options {
  double seconds = 10;
  long long count = 0;   ///< scenes; 0: as many as there is time for
  std::string matching;  ///< only scenes with this text in them; empty: all
  unsigned seed = 1;
  double limit = 10;   ///< [s] of processor time for one scene
  std::string replay;  ///< a file to run once, instead
};

struct Counts {
  long long scenes = 0, accepted = 0, steps = 0, failed_steps = 0;
};
/// Here, so that a signal's handler can tell how far the run came.
Counts counts;

std::vector<std::string> corpus(const std::string& matching) {
  std::vector<fs::path> paths = corpus_files(reader_of("scene"));
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir()) / "scenes"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::string text = read_text_file(path);
    if (text.find(matching) != std::string::npos) texts.push_back(std::move(text));
  }
  return texts;
}

void print_counts(const char* end) {
  fmt::print("{} scenes, {} of them accepted; {} steps, {} of them refused; {}\n", counts.scenes,
             counts.accepted, counts.steps, counts.failed_steps, end);
}

[[noreturn]] void fail(const std::string& why, const std::string& text) {
  const fs::path path = fs::temp_directory_path() / "sinew-fuzz-failure.json";
  std::ofstream(path) << text;
  fmt::print(stderr, "FAILED: {}\n  the scene is in {}\n", why, path.string());
  print_counts("a failure");
  std::exit(1);
}

// Only what a signal handler may call: no formatting, no buffers.
void write_plainly(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(2);
}
void write_plainly(long long number) {
  char digits[20];
  char* first = std::end(digits);
  do *--first = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  write_plainly({first, static_cast<size_t>(std::end(digits) - first)});
}

void on_signal(int signal) {
  const bool slow = signal == SIGPROF;
  // The scene is in the file named at the start.
  write_plainly(slow ? "FAILED: a scene takes longer than the limit\n" : "stopped\n");
  write_plainly(counts.scenes);
  write_plainly(" scenes, ");
  write_plainly(counts.accepted);
  write_plainly(" of them accepted; ");
  write_plainly(counts.steps);
  write_plainly(" steps, ");
  write_plainly(counts.failed_steps);
  write_plainly(" of them refused\n");
  _exit(slow ? 1 : 128 + signal);
}

/// Starts the clock of one scene, or stops it (0). It counts the processor's time: a busy machine
/// is not a defect of the scene.
void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// A few steps with the scene's own integrator and one other.
void run_scene(const std::string& text, Integrator other) {
  ++counts.scenes;
  try {
    const Scene scene = parse_scene(text, "scene", mesh_folder());
    ++counts.accepted;
    for (const Integrator integrator : {scene.settings.step.integrator, other}) {
      const StepCounts taken = step_scene(scene, integrator, {});
      counts.steps += taken.steps;
      counts.failed_steps += taken.failed;
    }
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > 2000) fail("a message of no bearable length", text);
  } catch (const std::exception& error) {
    fail(fmt::format("an exception: {}", error.what()), text);
  }
}

int run(const Options& options) {
  for (const int signal : {SIGPROF, SIGINT, SIGTERM}) std::signal(signal, on_signal);
  if (!options.replay.empty()) {
    set_alarm(options.limit);
    for (const Integrator integrator : all_integrators())
      run_scene(read_text_file(options.replay), integrator);
    fmt::print("survived\n");
    return 0;
  }

  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.json", getpid());
  std::vector<std::string> texts = corpus(options.matching);
  if (texts.empty()) {
    fmt::print(stderr, "no scene has '{}' in it\n", options.matching);
    return 2;
  }
  fmt::print("seed {}, {} of {} scenes; the scene at hand is {}\n", options.seed,
             options.count > 0 ? fmt::format("{} mutants", options.count)
                               : fmt::format("{} s", options.seconds),
             texts.size(), current.string());
  std::fflush(stdout);
  Mutator mutator(std::move(texts), options.seed);
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * options.seconds));
  while (options.count > 0 ? counts.scenes < options.count : Clock::now() < end) {
    const std::string text = mutator.next();
    const Integrator other = all_integrators()[mutator.below(all_integrators().size())];
    std::ofstream(current) << text;
    set_alarm(options.limit);
    run_scene(text, other);
    set_alarm(0);
  }
  fs::remove(current);
  print_counts("no failure");
  return 0;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  sinew::fuzz::Options options;
  CLI::App app("Feeds mutated scenes to the reader and steps those that it accepts");
  app.add_option("--seconds", options.seconds, "How long to go on");
  app.add_option("--count", options.count, "How many scenes, instead of how long");
  app.add_option("--matching", options.matching,
                 "Only scenes with this text in them: --matching strand");
  app.add_option("--seed", options.seed, "The same seed makes the same scenes");
  app.add_option("--limit", options.limit, "Seconds of processor time that one scene may take");
  app.add_option("--replay", options.replay, "Run this scene instead");
  CLI11_PARSE(app, argc, argv);
  return sinew::fuzz::run(options);
}
