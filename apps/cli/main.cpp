#include "cli/run_program.hpp"

int main(int argc, char** argv) {
  using namespace sinew::cli;
  return run_program({.name = "sinew",
                      .title = "Sinew: skeletons whose muscles have mass",
                      .start = "  sinew scenes\n  sinew simulate double-pendulum",
                      .commands = {kCommands.begin(), kCommands.end()}},
                     argc, argv);
}
