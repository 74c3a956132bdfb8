#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/mutator.hpp"
#include "fuzz/readers.hpp"
#include "sinew/io/scene/scene.hpp"

/// Feeds mutated files to every reader (fuzz/readers.hpp). Anything but success or a sinew::Error
/// of limited length is a failure; so is a file that takes longer than the limit. The file at hand
/// is kept, so that a crash leaves its cause behind.

namespace sinew::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& why, const std::string& text) {
  const fs::path path = fs::temp_directory_path() / "sinew-fuzz-failure.txt";
  std::ofstream(path) << text;
  fmt::print(stderr, "FAILED: {}\n  the file is in {}\n", why, path.string());
  std::exit(1);
}

void on_alarm(int) {
  constexpr char kMessage[] = "FAILED: a file takes longer than the limit\n";
  if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) _exit(2);
  _exit(1);
}

/// True if the reader accepts the text.
bool accepts(const Reader& reader, const std::string& text) {
  try {
    return survives(reader, text);
  } catch (const std::exception& error) {
    fail(fmt::format("an exception: {}", error.what()), text);
  }
}

void set_alarm(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// For all readers, or for one.
int run(double seconds, unsigned seed, int limit, const std::string& only) {
  std::signal(SIGPROF, on_alarm);
  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.txt", getpid());
  fmt::print("seed {}, {} s for each reader; the file at hand is {}\n", seed, seconds,
             current.string());
  std::fflush(stdout);
  for (const Reader& reader : readers()) {
    if (!only.empty() && reader.name != only) continue;
    std::vector<std::string> corpus;
    for (const fs::path& file : corpus_files(reader)) corpus.push_back(read_text_file(file));
    Mutator mutator(std::move(corpus), seed);
    long long files = 0, accepted = 0;
    const auto end =
        Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * seconds));
    while (Clock::now() < end) {
      const std::string text = mutator.next();
      std::ofstream(current) << text;
      set_alarm(limit);
      ++files;
      accepted += accepts(reader, text);
      set_alarm(0);
    }
    fmt::print("{}: {} files, {} of them accepted; no failure\n", reader.name, files, accepted);
    std::fflush(stdout);
  }
  fs::remove(current);
  return 0;
}

int replay(const std::string& reader, const std::string& file) {
  accepts(reader_of(reader), read_text_file(file));
  fmt::print("survived\n");
  return 0;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  double seconds = 10;
  unsigned seed = 1;
  int limit = 10;
  std::string only, replay;
  CLI::App app("Feeds mutated files to their readers");
  app.add_option("--seconds", seconds, "How long to go on, with each reader");
  app.add_option("--seed", seed, "The same seed makes the same files");
  app.add_option("--limit", limit, "Seconds of processor time that one file may take");
  CLI::Option* reader =
      app.add_option("--reader", only, "One of them: a folder of tests/fuzz/corpus (all)");
  app.add_option("--replay", replay, "Let the reader have this file instead")->needs(reader);
  CLI11_PARSE(app, argc, argv);
  return replay.empty() ? sinew::fuzz::run(seconds, seed, limit, only)
                        : sinew::fuzz::replay(only, replay);
}
