#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sinew::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of this test's own, empty at its start and gone after it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sinew-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct ProgramResult {
  int exit_code = -1;
  std::string out, err;
};

/// Runs the program through a shell, as a user would.
inline ProgramResult run_program(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = std::string("'") + SINEW_PROGRAM + "' " + arguments + " >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "out"),
          read_file(folder / "err")};
}

/// Starts the program with standard output in a file, and its errors in another if that has a name;
/// its process.
inline pid_t start_program(std::vector<std::string> words, const std::filesystem::path& out,
                           const std::filesystem::path& err = {}) {
  words.insert(words.begin(), SINEW_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto lead = [&](int stream, const std::filesystem::path& file) {
    posix_spawn_file_actions_addopen(&actions, stream, file.c_str(), O_WRONLY | O_CREAT, 0600);
  };
  lead(STDOUT_FILENO, out);
  if (!err.empty()) lead(STDERR_FILENO, err);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, SINEW_PROGRAM, &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

/// The exit code of a process; −1 if a signal ended it.
inline int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Waits until the process answers SIGTERM, or has ended.
inline void wait_for_handlers(pid_t child) {
  for (int k = 0; k < 6000; ++k, usleep(5000)) {
    const std::string status = read_file("/proc/" + std::to_string(child) + "/status");
    const size_t caught = status.find("SigCgt:");
    if (caught == std::string::npos) return;
    if (std::stoull(status.substr(caught + 7), nullptr, 16) >> (SIGTERM - 1) & 1) return;
  }
}

inline int end_by(int signal, pid_t child) {
  kill(child, signal);
  return exit_code_of(child);
}

}  // namespace sinew::test
