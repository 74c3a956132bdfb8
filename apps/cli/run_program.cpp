#include "cli/run_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "cli/command_line.hpp"
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

int parse_and_run(const Program& of, int argc, char** argv) {
  CLI::App program{of.title, of.name};
  program.set_version_flag("--version", fmt::format("{} {} ({})", of.name, version(), commit()));
  program.require_subcommand(1);
  program.footer("Start with\n" + of.start);
  std::vector<Command> commands;
  for (const auto& add : of.commands) commands.push_back(add(program));

  if (argc < 2) {  // as git does: print the help and fail
    say(program.help());
    return kBadInput;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return of.speaks ? program.exit(success) : kOk;
  } catch (const CLI::ParseError& error) {
    return of.speaks ? fail(explain(program, error)) : kBadInput;
  }
  const auto given = std::find_if(commands.begin(), commands.end(),
                                  [](const Command& c) { return c.parser->parsed(); });
  return given->run(as_typed(of.name, argc, argv));
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  answer_signals();
  try {
    const int ended = parse_and_run(program, argc, argv);
    const InterruptGuard writing;
    const int code = code_after_signals(ended);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : fail_output();
  } catch (const Interrupted&) {
    say("sinew: interrupted\n");
    return kInterrupted;
  } catch (const WriteError& error) {
    return fail(error.what(), kFailed);
  } catch (const Error& error) {
    return program.speaks ? fail(error.what()) : kBadInput;
  } catch (const std::bad_alloc&) {
    say("sinew: out of memory\n");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return fail_output();
    say(fmt::format("sinew: internal error: {}\n", one_line(error.what())));
  }
  return kInternal;
}

}  // namespace sinew::cli
