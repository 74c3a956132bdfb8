#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <string>

/// The subcommands: each is one file, which adds its options and its help to the program's parser.

namespace sinew {
class SweepTeam;
}

namespace sinew::cli {

/// The program's exit codes.
enum ExitCode {
  kOk = 0,
  kInternal = 1,  ///< a defect of the program
  kBadInput = 2,
  kFailed = 3,         ///< the computation failed; earlier results are written and marked
  kAuditFailed = 4,    ///< it finished, but a check of the results failed
  kStopped = 5,        ///< stopped by a signal: the same command goes on
  kInterrupted = 130,  ///< earlier results are kept
};

struct Command {
  CLI::App* parser;  ///< the program's parser owns it
  /// Runs the command with the parsed options, and returns an ExitCode. Mistakes of the user throw
  /// a sinew::Error. `typed` is the whole command line, for commands that record it.
  std::function<int(const std::string& typed)> run;
};

Command add_scenes(CLI::App& program);
Command add_info(CLI::App& program);
Command add_simulate(CLI::App& program);
Command add_muscles(CLI::App& program);
Command add_strands(CLI::App& program);
Command add_evaluate(CLI::App& program);
Command add_id(CLI::App& program);
Command add_compare_inertia(CLI::App& program);
Command add_fit_joint(CLI::App& program);
Command add_ik(CLI::App& program);
Command add_gradient(CLI::App& program);
Command add_optimize(CLI::App& program);
/// `team` works on a study together; null: this process by itself.
Command add_sweep(CLI::App& program, SweepTeam* team);
inline Command add_own_sweep(CLI::App& program) { return add_sweep(program, nullptr); }
Command add_report(CLI::App& program);
Command add_export(CLI::App& program);
Command add_view(CLI::App& program);
Command add_bench(CLI::App& program);

/// In the order of the program's help.
inline constexpr std::array kCommands = {
    add_scenes,   add_info,     add_simulate,        add_muscles,   add_strands,
    add_evaluate, add_id,       add_compare_inertia, add_fit_joint, add_ik,
    add_gradient, add_optimize, add_own_sweep,       add_report,    add_export,
    add_view,     add_bench};

}  // namespace sinew::cli
