#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/view/server.hpp"
#include "sinew/view/worker.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string model;   ///< a scene by name or file, or an .osim file
  std::string motion;  ///< .mot or .sto; empty: none
  std::string beside;  ///< a motion or a model; empty: nothing
  std::vector<std::string> set;
  RunOptions run;
  MuscleMassOptions mass;
  int port = 0;         ///< 0: any that is free
  bool browser = true;  ///< open a browser
  bool json = false;
};

/// Opens the system's browser through a file that redirects to the address and that only its owner
/// can read: on a command line every user of the machine could see the token.
class BrowserPage {
 public:
  explicit BrowserPage(const std::string& address) {
    std::string name = (fs::temp_directory_path() / "sinew-view-XXXXXX.html").string();
    const int file = mkstemps(name.data(), 5);
    if (file < 0) return;
    close(file);
    path_ = name;
    std::ofstream(path_) << "<!DOCTYPE html><meta charset=\"utf-8\"><title>Sinew</title>"
                         << "<meta http-equiv=\"refresh\" content=\"0; url=" << address << "\">";
    open();
  }
  ~BrowserPage() {
    std::error_code code;
    if (!path_.empty()) fs::remove(path_, code);
  }
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

 private:
  void open() const {
    std::string program = "xdg-open", path = path_.string();
    char* const words[] = {program.data(), path.data(), nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    if (posix_spawnp(&child, words[0], &quiet, nullptr, words, environ) == 0)
      std::thread([child] { waitpid(child, nullptr, 0); }).detach();
    else
      say("sinew: no browser could be opened; use the address\n");
    posix_spawn_file_actions_destroy(&quiet);
  }

  fs::path path_;
};

Playback read_playback(const std::string& path, const LoadedModel& model) {
  MotionReading reading = read_motion(path, model.target, {});
  print_warnings(reading.warnings);
  return {fs::path(path).filename().string(), std::move(reading.motion)};
}

/// Another motion of the same model, or another model.
std::optional<Beside> load_beside(const ViewOptions& options) {
  if (options.beside.empty()) return std::nullopt;
  const bool motion = options.beside.ends_with(".mot") || options.beside.ends_with(".sto");
  if (motion && options.motion.empty())
    throw Error("--beside", "is a motion with nothing to be compared with",
                "give MODEL MOTION --beside OTHER_MOTION");
  Beside out{load_view_model(
      motion ? options.model : options.beside,
      {.set = motion ? options.set : std::vector<std::string>(), .mass = options.mass})};
  if (!motion) print_warnings(out.model.warnings);
  const std::string& file = motion ? options.beside : options.motion;
  if (!file.empty()) out.motion = read_playback(file, out.model);
  return out;
}

/// Serves the live page until Ctrl-C.
int run_view(const ViewOptions& options) {
  LoadedModel model = load_view_model(
      options.model, {.set = options.set, .run = options.run, .mass = options.mass});
  print_warnings(model.warnings);
  warn_of_start(model);
  const std::string title = model.title.empty() ? model.name : model.title;
  fs::path folder = model.path.parent_path();
  if (folder.empty()) folder = ".";
  std::optional<Playback> motion;
  if (!options.motion.empty()) motion = read_playback(options.motion, model);
  std::optional<Beside> beside = load_beside(options);
  InterruptGuard interrupt;
  ViewWorker worker(
      std::make_unique<ViewSession>(std::move(model), std::move(motion), std::move(beside)));
  // What is wrong with the page is better said here than in the browser.
  worker.page();
  const ViewServer server(worker, {folder, options.port, make_token()});
  if (options.json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"address", server.address()}, {"port", server.port()}}.dump());
  else
    fmt::print("{}\n  {}\n  Ctrl-C ends it.\n", title, server.address());
  std::fflush(stdout);
  std::optional<BrowserPage> page;
  if (options.browser) page.emplace(server.address());
  while (!interrupt.flag()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  interrupt.expected();
  return kOk;
}

}  // namespace

Command add_view(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "view", "Show a scene or a model live in the browser: pose, drive, run, pull, play a motion");
  const auto o = std::make_shared<ViewOptions>();
  c->add_option("model", o->model, kModelHelp)->required();
  c->add_option("motion", o->motion, std::string(kMotionHelp) + ", to be played (default: none)");
  c->add_option("--beside", o->beside,
                "Another motion, .mot or .sto, or another model, to be shown as a ghost");
  c->add_option("--port", o->port,
                "Port of the server, on this machine only (default: any free port)")
      ->check(CLI::Range(1, 65535));
  c->add_flag("!--no-browser", o->browser, "Print the address without opening a browser");
  add_set(*c, o->set);
  add_run_options(*c, o->run);
  add_muscle_mass(*c, o->mass,
                  "as the scene says; OpenSim models: on the bones, volumes by the switch");
  c->add_flag("--json", o->json, "Print one JSON object with address and port");
  c->footer(
      "Examples\n"
      "  sinew view wrap-pendulum\n"
      "  sinew view models/leg/leg.osim\n"
      "  sinew view models/leg/leg.osim models/leg/swing_10kmh.mot\n"
      "  sinew view models/leg/leg.osim models/leg/swing_10kmh.mot --beside "
      "models/leg/swing_17kmh.mot\n"
      "  sinew view knee-spline --no-browser --port 8080\n"
      "Ctrl-C ends it. The address holds a token: anyone who has it can use the page. "
      "docs/view.md.");
  return {c, [o](const std::string&) { return run_view(*o); }};
}

}  // namespace sinew::cli
