#include "cli/run_program.hpp"
#include "mpi/rank_team.hpp"

int main(int argc, char** argv) {
  using namespace sinew;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  RankTeam team;
  const int code = cli::run_program(
      {.name = "sinew-mpi",
       .title = "Sinew's studies on the ranks of MPI",
       .start = "  mpirun -n 4 sinew-mpi sweep ankle-moment --out out/ankle",
       .commands = {[&](CLI::App& program) { return cli::add_sweep(program, &team); }},
       .speaks = team.leads()},
      argc, argv);
  // Ranks that find the same mistake end alike; those that wait for one that cannot go on do not.
  if (!team.end()) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return team.leads() || code != cli::kBadInput ? code : cli::kOk;
}
