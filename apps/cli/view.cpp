#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "commands.hpp"
#include "console.hpp"
#include "model_source.hpp"
#include "sinew/core/error.hpp"
#include "view_server.hpp"
#include "view_worker.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

/// Opens the system's browser by way of a file that leads to the address, and that only its owner
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

}  // namespace

int run_view(const ViewOptions& options) {
  ViewSource source = load_view_source(options.model, options.set);
  print_warnings(source.warnings);
  const std::string title = source.title.empty() ? source.name : source.title;
  fs::path folder = source.path.parent_path();
  if (folder.empty()) folder = ".";
  const InterruptGuard interrupt;
  ViewWorker worker(std::make_unique<ViewSession>(std::move(source)));
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
  return kOk;
}

}  // namespace sinew::cli
