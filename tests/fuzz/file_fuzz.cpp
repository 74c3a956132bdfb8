#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "fuzz/mutator.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/external_loads.hpp"
#include "sinew/io/mesh_file.hpp"
#include "sinew/io/obj.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene.hpp"
#include "sinew/io/trc_file.hpp"
#include "sinew/system/equations.hpp"
#include "sinew/system/hill_equations.hpp"
#include "support/source_dir.hpp"

/// Feeds mutated files of OpenSim (.sto, .trc, external loads, .osim, .vtp, .stl, .obj) to their
/// readers, and evaluates models that are accepted, with all their muscles, in their default pose.
/// Anything but success or a sinew::Error of bearable length is a failure; so is a file that takes
/// longer than ten seconds. The file at hand is kept, so that a crash leaves its cause behind.

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

std::vector<std::string> models() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(fs::path(test::source_dir()) / "tests/fuzz/corpus/osim"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(read_text_file(path));
  return texts;
}

/// Lets the muscles pull: paths, Hill forces, accelerations in the initial state.
void pull(const System& system) {
  const State state = system.default_state();
  Workspace ws(system);
  hold_muscles(system, state, ws);
  VecX qddot(system.dof_count());
  forward_dynamics(system, state.t, state.q, state.qdot, ws, qddot);
  hill_values(system, state, ws);
}

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
  const std::string vtp =
      "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"4\">"
      "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 "
      "1 "
      "0 0 0 1</DataArray></Points><Polys><DataArray Name=\"connectivity\" format=\"ascii\">0 2 1 "
      "0 1 "
      "3 0 3 2</DataArray><DataArray Name=\"offsets\" format=\"ascii\">3 6 9</DataArray></Polys>"
      "<Strips><DataArray Name=\"connectivity\">0 1 2 3</DataArray><DataArray Name=\"offsets\">4"
      "</DataArray></Strips></Piece></PolyData></VTKFile>";
  const std::string text_stl =
      "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 "
      "0\n  endloop\n endfacet\nendsolid a\n";
  std::string binary_stl(184, '\1');  // two triangles of tiny numbers
  binary_stl.replace(80, 4, std::string("\2\0\0\0", 4));
  return {
      {"vtp", {vtp}, [](const std::string& text) { parse_vtp(text, "m.vtp"); }},
      {"stl", {text_stl, binary_stl}, [](const std::string& text) { parse_stl(text, "m.stl"); }},
      {"obj",
       {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1//2 -1/3 2/1/1\n# end\n"},
       [](const std::string& text) { parse_obj(text, "m.obj"); }},
      {"sto",
       {sto, vectors},
       [](const std::string& text) {
         StorageFile file = parse_storage(text, "m.mot");
         to_radians([](const std::string&) { return true; }, file);
         if (file.table.values.allFinite()) opensim_smoothing(file.table, 6);
       }},
      {"trc", {trc}, [](const std::string& text) { parse_trc(text, "m.trc"); }},
      {"loads", {loads}, [](const std::string& text) { parse_external_loads(text, "loads.xml"); }},
      {"osim", models(), [](const std::string& text) {
         const OsimModel model = parse_osim(text, "model");
         evaluate_poses(model, R"({"poses": [{"activation": [0.01, 1]}]})", "poses");
         pull(model.system_builder().build());
       }}};
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

void set_alarm(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Of all formats, or of one.
int run(double seconds, unsigned seed, const std::string& only) {
  std::signal(SIGPROF, on_alarm);
  const fs::path current = fs::temp_directory_path() / fmt::format("sinew-fuzz-{}.txt", getpid());
  fmt::print("seed {}, {} s for each format; the file at hand is {}\n", seed, seconds,
             current.string());
  std::fflush(stdout);
  for (const Format& format : formats()) {
    if (!only.empty() && format.name != only) continue;
    Mutator mutator(format.corpus, seed);
    long long files = 0, accepted = 0;
    const auto end =
        Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * seconds));
    while (Clock::now() < end) {
      const std::string text = mutator.next();
      std::ofstream(current) << text;
      set_alarm(10);
      ++files;
      accepted += survives(format, text);
      set_alarm(0);
    }
    fmt::print("{}: {} files, {} of them accepted; no failure\n", format.name, files, accepted);
    std::fflush(stdout);
  }
  fs::remove(current);
  return 0;
}

int replay(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  for (const Format& format : formats())
    if (extension == "." + format.name) {
      survives(format, read_text_file(file));
      fmt::print("survived\n");
      return 0;
    }
  fmt::print(stderr, "{}: not named .sto, .trc, .loads, .osim, .vtp, .stl or .obj\n", file);
  return 2;
}

}  // namespace
}  // namespace sinew::fuzz

int main(int argc, char** argv) {
  double seconds = 10;
  unsigned seed = 1;
  std::string only, replay;
  CLI::App app("Feeds mutated files of OpenSim to their readers");
  app.add_option("--seconds", seconds, "How long to go on, with each format");
  app.add_option("--seed", seed, "The same seed makes the same files");
  app.add_option("--format", only, "One of them: vtp, stl, obj, sto, trc, loads, osim (all)");
  app.add_option("--replay", replay, "Read this file instead, as its name says");
  CLI11_PARSE(app, argc, argv);
  return replay.empty() ? sinew::fuzz::run(seconds, seed, only) : sinew::fuzz::replay(replay);
}
