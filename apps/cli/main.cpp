#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "cli/command_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew::cli {
namespace {

int fail(const std::string& message, int code = kBadInput) {
  say(fmt::format("sinew: error: {}\n", one_line(message)));
  return code;
}

int fail_output() {
  say("sinew: error: standard output cannot be written: check the disk or the program behind it\n");
  return kFailed;
}

int run(int argc, char** argv) {
  CLI::App program{"Sinew: skeletons whose muscles have mass", "sinew"};
  program.set_version_flag("--version", fmt::format("sinew {} ({})", version(), commit()));
  program.require_subcommand(1);
  program.footer("Start with\n  sinew scenes\n  sinew simulate double-pendulum");
  std::vector<Command> commands;
  for (const auto add : kCommands) commands.push_back(add(program));

  if (argc < 2) {  // as git does: print the help and fail
    say(program.help());
    return kBadInput;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(explain(program, error));
  }
  const auto given = std::find_if(commands.begin(), commands.end(),
                                  [](const Command& c) { return c.parser->parsed(); });
  return given->run(as_typed(argc, argv));
}

}  // namespace
}  // namespace sinew::cli

int main(int argc, char** argv) {
  using namespace sinew::cli;
  answer_signals();
  try {
    const int ended = run(argc, argv);
    const InterruptGuard writing;
    const int code = code_after_signals(ended);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : fail_output();
  } catch (const Interrupted&) {
    say("sinew: interrupted\n");
    return kInterrupted;
  } catch (const sinew::WriteError& error) {
    return fail(error.what(), kFailed);
  } catch (const sinew::Error& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    say("sinew: out of memory\n");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return fail_output();
    say(fmt::format("sinew: internal error: {}\n", one_line(error.what())));
  }
  return kInternal;
}
