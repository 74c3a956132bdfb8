#include "command_line.hpp"

#include <fmt/format.h>

#include "sinew/core/names.hpp"
#include "sinew/core/shell_word.hpp"

namespace sinew::cli {

std::string as_typed(const std::string& program, int argc, char** argv) {
  std::string out = program;
  for (int k = 1; k < argc; ++k) out += " " + shell_word(argv[k]);
  return out;
}

std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> used = program.get_subcommands();
  const CLI::App& command = used.empty() ? program : *used.front();
  const std::string remedy = used.empty()
                                 ? "see `sinew --help`"
                                 : fmt::format("see `sinew {} --help`", command.get_name());
  const std::vector<std::string> unknown = program.remaining(true);
  // For a misspelt command the parser only reports that it does not exist.
  if (unknown.empty()) return error.what() + ("; " + remedy);

  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  std::string what = "argument";
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    what = "option";
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else if (used.empty()) {
    what = "command";
    for (const CLI::App* subcommand : program.get_subcommands({}))
      known.push_back(subcommand->get_name());
  }
  const std::string near = nearest_name(word, known);
  return fmt::format("unknown {} '{}'; {}", what, word,
                     near.empty() ? remedy : "did you mean '" + near + "'?");
}

}  // namespace sinew::cli
