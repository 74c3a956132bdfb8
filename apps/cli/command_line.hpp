#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sinew::cli {

/// The command line of a program, fit to be pasted into a shell.
std::string as_typed(const std::string& program, int argc, char** argv);

/// The parser's error, and for an unknown word the nearest known one.
std::string explain(const CLI::App& program, const CLI::ParseError& error);

}  // namespace sinew::cli
