// Forward dynamics of OpenSim models with all muscles, compared with the times of OpenSim itself
// and, in the same run, with Simbody, on which OpenSim is built. See README.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>

#include "engine.hpp"
#include "sinew/io/osim/osim_timing.hpp"

namespace {

namespace fs = std::filesystem;
using sinew::OsimTiming;

/// OpenSim 4.5.2, `realizeAcceleration` with all muscles, on one core of an AVX-512 Xeon [µs]: from
/// another machine than this run's, so that ratios to it are rough.
struct ReferenceModel {
  const char* file;
  double opensim;
};
constexpr ReferenceModel kModels[] = {{"arm26", 85},
                                      {"gait10dof18musc", 115},
                                      {"gait2392_thelen2003muscle", 516},
                                      {"gait2392_millard2012muscle", 676},
                                      {"Rajagopal2016", 1020}};

fs::path models_folder() {
  const char* set = std::getenv("SINEW_REFERENCE_DIR");
  return (set ? fs::path(set) : fs::path(BENCH_SOURCE_DIR) / "../shared/reference") / "opensim" /
         "models";
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A call to time: its number of evaluations, and the fastest so far [s].
struct Candidate {
  std::function<void()> call;
  int evaluations = 1;
  double best = 1e300;
};

/// Times them in turn, so that a slow phase of the machine affects all; each for at least 2 ms a
/// turn.
void measure(std::vector<Candidate>& candidates, int turns) {
  std::vector<int> batch;
  for (Candidate& c : candidates) {
    const double start = cpu_seconds();
    c.call();
    batch.push_back(std::max(1, static_cast<int>(2e-3 / (cpu_seconds() - start))));
  }
  for (int turn = 0; turn < turns; ++turn)
    for (size_t k = 0; k < candidates.size(); ++k) {
      const double start = cpu_seconds();
      for (int i = 0; i < batch[k]; ++i) candidates[k].call();
      const double took = cpu_seconds() - start;
      candidates[k].best =
          std::min(candidates[k].best, took / batch[k] / candidates[k].evaluations);
    }
}

#ifdef BENCH_SIMBODY
/// A tree with the model's moving bodies and, joint by joint, its number of coordinates; joints are
/// of plain kinds, inertias those of spheres. No functions of coordinates, constraints, paths or
/// muscles: a lower bound for any program built on Simbody. Null if a joint has four or five
/// coordinates.
std::unique_ptr<bench::Engine> simbody_tree(const sinew::Skeleton& skeleton) {
  bench::TreeSpec tree;
  tree.name = "tree";
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const sinew::Link& link = skeleton.link(i);
    bench::BodySpec& body = tree.bodies.emplace_back();
    body.name = fmt::format("link{}", i);
    body.parent = link.parent.value - 1;
    constexpr bench::JointType kTypes[] = {bench::JointType::revolute, bench::JointType::universal,
                                           bench::JointType::spherical, bench::JointType::free};
    if (link.dof_count == 4 || link.dof_count == 5 || link.dof_count == 0) return nullptr;
    body.joint = kTypes[std::min(link.dof_count, 4) - 1];
    body.axis = bench::Vec3::UnitZ();
    body.offset = link.E_PL0.p;
    body.mass = std::max(link.mass, 1e-3);
    body.com = link.mass > 0 ? bench::Vec3(link.h / link.mass) : bench::Vec3::Zero();
    const double central = link.I.trace() / 3 - 2 * body.mass * body.com.squaredNorm() / 3;
    body.inertia = bench::Vec3::Constant(std::max(central, 1e-6));
  }
  std::unique_ptr<bench::Engine> engine = bench::simbody_engine().make(tree);
  engine->load(bench::random_samples(tree, 16));
  return engine;
}
#endif

std::string ratio(double ours, double opensim) {
  return fmt::format("{:.3g} (1/{:.3g})", 1e6 * ours, opensim / (1e6 * ours));
}

void report(const fs::path& file, double opensim, int turns) {
  const sinew::OsimModel model = sinew::load_osim(file);
  OsimTiming light(model, {.source = "off"}), massive(model, {.source = "volumes"});
  std::vector<Candidate> candidates;
  for (OsimTiming* timing : {&light, &massive}) {
    candidates.push_back({[timing] { timing->accelerations(); }, timing->poses()});
    candidates.push_back({[timing] { timing->rates(); }, timing->poses()});
  }
#ifdef BENCH_SIMBODY
  const std::unique_ptr<bench::Engine> simbody = simbody_tree(model.skeleton);
  if (simbody) candidates.push_back({[&] { simbody->run(bench::Kernel::forward_dynamics); }, 16});
#endif
  measure(candidates, turns);
  const sinew::Skeleton& skeleton = light.system().skeleton();
  fmt::print(
      "| {} | {}, {}, {} | {} | {} | {} ({:.3g} kg) | {} | {} | {} |\n", file.stem().string(),
      skeleton.link_count() - 1, skeleton.dof_count(), light.system().hill_muscles().size(),
      ratio(candidates[0].best, opensim), ratio(candidates[1].best, opensim),
      ratio(candidates[2].best, opensim), massive.moved(), ratio(candidates[3].best, opensim),
      candidates.size() > 4 ? fmt::format("{:.3g}", 1e6 * candidates[4].best) : "–", opensim);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::max(1, std::atoi(argv[1])) : 50;
  const fs::path folder = models_folder();
  fmt::print(
      "Forward dynamics of OpenSim models with all muscles, µs of one evaluation; in parentheses "
      "OpenSim's time over it.\n\n");
  fmt::print(
      "| model | moving bodies, coordinates, muscles | q̈ | and rates of fibres and "
      "activations | q̈, muscles with mass | and rates | Simbody, tree alone | OpenSim 4.5.2 |\n"
      "|---|---|---|---|---|---|---|---|\n");
  bool missing = false;
  for (const ReferenceModel& model : kModels) {
    const fs::path file = folder / (std::string(model.file) + ".osim");
    if (fs::exists(file))
      report(file, model.opensim, turns);
    else
      missing = true;
  }
  if (missing)
    fmt::print(
        "\nSkipped: models that are not in {}. Set SINEW_REFERENCE_DIR to the folder with "
        "opensim/.\n",
        folder.string());
#ifndef BENCH_SIMBODY
  fmt::print("\nSkipped: Simbody, which is not installed.\n");
#endif
}
