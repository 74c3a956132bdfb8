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
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene.hpp"

/// Feeds mutated OpenSim models to their reader and evaluates those that it accepts in their
/// default pose. Anything but success or a sinew::Error is a failure; so is a model that takes
/// longer than ten seconds. The model at hand is kept in a file, so that a crash leaves its cause
/// behind.

namespace sinew::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

std::vector<std::string> corpus() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SINEW_SOURCE_DIR) / "tests/fuzz/corpus/osim"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(read_text_file(path));
  return texts;
}

[[noreturn]] void fail(const std::string& why, const std::string& text) {
  const fs::path path = fs::temp_directory_path() / "sinew-fuzz-failure.osim";
  std::ofstream(path) << text;
  fmt::print(stderr, "FAILED: {}\n  the model is in {}\n", why, path.string());
  std::exit(1);
}

void on_alarm(int) {
  constexpr char kMessage[] = "FAILED: a model takes longer than the limit\n";
  if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) _exit(2);
  _exit(1);
}

/// True if the reader accepts the text.
bool survives(const std::string& text) {
  try {
    const OsimModel model = parse_osim(text, "model");
    evaluate_poses(model, R"({"poses": [{}]})", "poses");
    model.system_builder().build();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > 2000) fail("a message of no bearable length", text);
  } catch (const std::exception& error) {
    fail(fmt::format("an exception: {}", error.what()), text);
  }
  return false;
}

void set_alarm(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

int run(double seconds, unsigned seed) {
  std::signal(SIGPROF, on_alarm);
  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.osim", getpid());
  fmt::print("seed {}, {} s; the model at hand is {}\n", seed, seconds, current.string());
  std::fflush(stdout);
  Mutator mutator(corpus(), seed);
  long long models = 0, accepted = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * seconds));
  while (Clock::now() < end) {
    const std::string text = mutator.next();
    std::ofstream(current) << text;
    set_alarm(10);
    ++models;
    accepted += survives(text);
    set_alarm(0);
  }
  fs::remove(current);
  fmt::print("{} models, {} of them accepted; no failure\n", models, accepted);
  return 0;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  double seconds = 10;
  unsigned seed = 1;
  std::string replay;
  CLI::App app("Feeds mutated OpenSim models to their reader");
  app.add_option("--seconds", seconds, "How long to go on");
  app.add_option("--seed", seed, "The same seed makes the same models");
  app.add_option("--replay", replay, "Run this model instead");
  CLI11_PARSE(app, argc, argv);
  if (!replay.empty()) {
    sinew::fuzz::survives(sinew::read_text_file(replay));
    fmt::print("survived\n");
    return 0;
  }
  return sinew::fuzz::run(seconds, seed);
}
