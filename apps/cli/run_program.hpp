#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"

namespace sinew::cli {

/// A program of several commands.
struct Program {
  std::string name, title, start;  ///< `start`: the command lines to begin with
  std::vector<std::function<Command(CLI::App&)>> commands;
  /// Whether it answers mistakes of the user: of many processes that find the same one does.
  bool speaks = true;
};

/// Parses the command line, runs the command, and answers every error with one line. Returns the
/// exit code.
int run_program(const Program& program, int argc, char** argv);

}  // namespace sinew::cli
