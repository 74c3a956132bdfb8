#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "fuzz/mutator.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/external_loads.hpp"
#include "sinew/io/trc_file.hpp"

/// Feeds mutated motion files (.sto, .trc, external loads) to their readers. Anything but success
/// or a sinew::Error of bearable length is a failure; so is a file that takes longer than the
/// limit. The file at hand is kept, so that a crash leaves its cause behind.

namespace sinew::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// What is read, and from what texts.
struct Format {
  std::string name;
  std::vector<std::string> corpus;
  std::function<void(const std::string&)> read;
};

std::vector<Format> formats() {
  const std::string sto =
      "Coordinates\nversion=1\nnRows=6\nnColumns=3\ninDegrees=yes\n\nUnits are S.I.\nendheader\n"
      "time\thip\tknee\n0\t1.5\t-2e-3\n0.1\t2\t3\n0.2\t2.5\t4\n0.3\t3\tNaN\n0.4\t4\t5\n0.4\t5\t6\n";
  const std::string vectors =
      "DataType=Vec3\nversion=3\nOpenSimVersion=4.5\nendheader\ntime\ta\tb\n"
      "0\t1,2,3\t4,5,6\n0.5\t1,2,3\t4,5,6\n";
  const std::string trc =
      "PathFileType\t4\t(X/Y/Z)\tm.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n60.00\t60.00\t2\t2\tmm\t60.00\t1\t2\n"
      "Frame#\tTime\tR.ASIS\t\t\tL.ASIS\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
      "1\t0.0\t608.6\t1072.7\t157.4\t610.6\t1060\t-103\n2\t0.017\t608\t1072\t\t\t\t\n";
  const std::string loads =
      "<?xml version=\"1.0\"?><OpenSimDocument Version=\"30000\"><ExternalLoads "
      "name=\"g\"><objects>"
      "<ExternalForce name=\"r\"><isDisabled>false</isDisabled><applied_to_body>calcn_r"
      "</applied_to_body><force_identifier>f</force_identifier><point_identifier>p"
      "</point_identifier></ExternalForce></objects><datafile>grf.mot</datafile></ExternalLoads>"
      "</OpenSimDocument>";
  return {
      {"sto",
       {sto, vectors},
       [](const std::string& text) {
         StorageFile file = parse_storage(text, "m.mot");
         to_radians([](const std::string&) { return true; }, file);
         if (file.table.values.allFinite()) opensim_smoothing(file.table, 6);
       }},
      {"trc", {trc}, [](const std::string& text) { parse_trc(text, "m.trc"); }},
      {"loads", {loads}, [](const std::string& text) { parse_external_loads(text, "loads.xml"); }}};
}

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
bool survives(const Format& format, const std::string& text) {
  try {
    format.read(text);
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > 2000) fail("a message of no bearable length", text);
  } catch (const std::exception& error) {
    fail(fmt::format("an exception: {}", error.what()), text);
  }
  return false;
}

int run(double seconds, unsigned seed) {
  std::signal(SIGPROF, on_alarm);
  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.txt", getpid());
  fmt::print("seed {}, {} s for each format; the file at hand is {}\n", seed, seconds,
             current.string());
  for (const Format& format : formats()) {
    Mutator mutator(format.corpus, seed);
    long long files = 0, accepted = 0;
    const auto end =
        Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * seconds));
    while (Clock::now() < end) {
      const std::string text = mutator.next();
      std::ofstream(current) << text;
      itimerval timer{};
      timer.it_value.tv_sec = 10;
      setitimer(ITIMER_PROF, &timer, nullptr);
      ++files;
      accepted += survives(format, text);
    }
    fmt::print("{}: {} files, {} of them accepted; no failure\n", format.name, files, accepted);
  }
  fs::remove(current);
  return 0;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  double seconds = 10;
  unsigned seed = 1;
  CLI::App app("Feeds mutated motion files to their readers");
  app.add_option("--seconds", seconds, "How long to go on, with each format");
  app.add_option("--seed", seed, "The same seed makes the same files");
  CLI11_PARSE(app, argc, argv);
  return sinew::fuzz::run(seconds, seed);
}
