// Time of a step of linearly implicit Euler, and memory, of long ropes that stretch and that do
// not; of strands around many pulleys; of the machines of the scene line-shaft; and beside MuJoCo's
// chain of 1000 bodies. Prints tables.
//     bench_strands [most nodes of a rope, default 10000]
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "engine.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/strands/strands.hpp"

namespace bench {
namespace {

using sinew::BodyIndex;
using sinew::GuideHold;
using sinew::kWorld;
using sinew::LinearStretch;
using sinew::MaximalNode;
using sinew::RigidNode;
using sinew::Strand;
using sinew::StrandGuide;
using sinew::StrandLength;
using sinew::StrandNode;
using sinew::StrandPoint;
using sinew::System;
using sinew::SystemBuilder;

constexpr double kStep = 1e-4;          // the transverse waves of a rope of 100 m allow it [s]
constexpr double kDensity = 0.0138;     // radius 2 mm, 1100 kg/m³ [kg/m]
constexpr double kStiffness = 4900;     // EA [N]
constexpr double kSpacing = 0.01;       // of the nodes of a rope [m]
constexpr double kPulleyRadius = 0.03;  // [m]

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

sinew::Skeleton skeleton_with_bar() {
  sinew::BodySpec bar;
  bar.name = "bar";
  bar.joint = sinew::Prismatic{sinew::Vec3::UnitY()};
  bar.M_B = sinew::SpatialInertia::FromCentral(1000, Vec3::Zero(), Mat3::Identity());
  return sinew::SkeletonBuilder().add_body(bar).build();
}

Strand strand(StrandLength length, double density) {
  Strand out;
  out.name = "rope";
  out.density = density;
  out.length = length;
  out.law = {LinearStretch{kStiffness}, 0, false};
  return out;
}

/// A row of nodes that swings from its first one.
System rope(int nodes, StrandLength length) {
  SystemBuilder builder(skeleton_with_bar());
  builder.set_gravity(Vec3(0, -9.81, 0));
  Strand rope = strand(length, kDensity);
  for (int k = 0; k < nodes; ++k) {
    const std::string name = fmt::format("n{}", k);
    const Vec3 x = kSpacing * k * Vec3(std::sin(0.2), -std::cos(0.2), 0);
    if (k == 0)
      builder.add_strand_node({name, RigidNode{kWorld, x}});
    else
      builder.add_strand_node({name, MaximalNode{x}});
    rope.points.push_back({name, kSpacing * k});
  }
  return builder.add_strand(rope).build();
}

/// A strand around pulleys of the bar and of the ceiling in turn, down to a box.
System pulleys(int count, StrandLength length, double density) {
  SystemBuilder builder(skeleton_with_bar());
  builder.set_gravity(Vec3(0, -9.81, 0));
  Strand rope = strand(length, density);
  constexpr double kHeight = 1;
  for (int k = 0; k <= count; ++k) {
    const std::string eye = fmt::format("eye{}", k), pulley = fmt::format("pulley{}", k);
    const double x = 2 * kPulleyRadius * k;
    if (k == count) {
      builder.add_strand_node({eye, MaximalNode{Vec3(x, 0.8 * kHeight, 0), Vec3::Zero(), 1}});
      rope.points.push_back({eye, (kHeight + 0.1) * count});
      break;
    }
    builder.add_strand_node({eye, RigidNode{kWorld, Vec3(x, k == 0 ? kHeight : 0.5 * kHeight, 0)}});
    StrandGuide guide;
    guide.name = pulley;
    guide.body = k % 2 == 0 ? BodyIndex(0) : kWorld;
    guide.E_BS.p = Vec3(x + kPulleyRadius, k % 2 == 0 ? 0 : kHeight, 0);
    guide.wrap = sinew::PulleyWrap{
        .radius = kPulleyRadius,
        .side = k % 2 == 0 ? sinew::WrapSide::counter_clockwise : sinew::WrapSide::clockwise};
    builder.add_strand_guide(guide);
    StrandPoint point{eye, {}, pulley};
    if (k == 0) point.s = 0;
    rope.points.push_back(point);
  }
  return builder.add_strand(rope).build();
}

struct Cost {
  double seconds = 0;  ///< of a step, the fastest of all turns
  double bytes = 0;    ///< of the system with its workspace
};

template <class Make>
Cost cost_of(Make&& make, int turns) {
  const double before = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
  const System system = make();
  sinew::Workspace ws(system);
  sinew::StepOptions options;
  options.integrator = sinew::Integrator::linearly_implicit_euler;
  sinew::State state = initial_state(system, options);
  Cost out{1e300, 0};
  for (int k = 0; k < turns; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const sinew::StepReport report = step(system, options, kStep, state, ws);
    out.seconds = std::min(out.seconds, seconds_since(start));
    if (report.status != sinew::StepStatus::ok) {
      fmt::print(stderr, "bench_strands: {}\n", to_string(report.status));
      std::exit(1);
    }
  }
  out.bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) - before;
  return out;
}

std::optional<double> mujoco_chain(int bodies) {
  for (const EngineInfo& info : engines()) {
    if (std::string(info.name) != "MuJoCo") continue;
    const TreeSpec tree = chain(bodies);
    const std::unique_ptr<Engine> engine = info.make(tree);
    engine->load(random_samples(tree, 1));
    engine->reset();
    double best = 1e300;
    for (int k = 0; k < 20; ++k) {
      const auto start = std::chrono::steady_clock::now();
      engine->run(Kernel::step);
      best = std::min(best, seconds_since(start));
    }
    return best;
  }
  return {};
}

void print_ropes(StrandLength length, int most) {
  fmt::print(
      "\n| nodes | a step [µs] | a node [µs] | a node, over that of 100 | a node [KB] |\n"
      "|---|---|---|---|---|\n");
  std::optional<double> first;
  for (int n = 100; n <= most; n = n % 3 == 0 ? n / 3 * 10 : 3 * n) {
    const Cost cost = cost_of([&] { return rope(n, length); }, std::clamp(100000 / n, 5, 100));
    const double each = cost.seconds / n;
    if (!first) first = each;
    fmt::print("| {} | {:.4g} | {:.3g} | {:.2f} | {:.2f} |\n", n, 1e6 * cost.seconds, 1e6 * each,
               each / *first, cost.bytes / n / 1024);
    std::fflush(stdout);
  }
}

void print_pulleys(const char* what, StrandLength length, double density) {
  const auto time = [&](int n) {
    return cost_of([&] { return pulleys(n, length, density); }, 200).seconds;
  };
  const double few = time(8), many = time(64);
  fmt::print("| {} | {:.4g} | {:.4g} | {:.1f} |\n", what, 1e6 * few, 1e6 * many, many / few);
}

/// 30 s of the machines on a line shaft, as `sinew simulate` steps them.
void print_line_shaft() {
  const sinew::Scene scene = sinew::load_scene(BENCH_SOURCE_DIR "/scenes/line-shaft.json");
  sinew::Workspace ws(scene.system);
  sinew::State state = initial_state(scene.system, scene.settings.step);
  sinew::SimulationSettings settings = scene.settings;
  settings.until = 30;
  const std::clock_t start = std::clock();
  const sinew::SimulationResult result = simulate(scene.system, settings, state, ws);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print(
      "\nThe scene line-shaft: {:g} s with steps of {:g} ms take {:.2f} s of processor time{}.\n",
      state.t, 1e3 * settings.dt, seconds,
      result.end == sinew::SimulationEnd::finished ? "" : ", and fail");
}

void run(int most) {
  fmt::print(
      "Linearly implicit Euler, {:g} ms a step; one core; the fastest step counts.\n\n"
      "A rope that stretches, all of its nodes free:\n",
      1e3 * kStep);
  print_ropes(StrandLength::elastic, most);
  fmt::print("\nA rope whose pieces keep their lengths:\n");
  print_ropes(StrandLength::fixed, most);
  fmt::print(
      "\nStrands around pulleys:\n\n| strand | 8 pulleys [µs] | 64 pulleys [µs] | ratio |\n"
      "|---|---|---|---|\n");
  print_pulleys("stretches, mass", StrandLength::elastic, kDensity);
  print_pulleys("stretches, no mass", StrandLength::elastic, 0);
  print_pulleys("keeps its length, mass", StrandLength::fixed, kDensity);
  print_pulleys("keeps its length, no mass", StrandLength::fixed, 0);
  print_line_shaft();
  if (const std::optional<double> peer = mujoco_chain(1000)) {
    const Cost ours = cost_of([] { return rope(1000, StrandLength::elastic); }, 100);
    fmt::print(
        "\nA rope of 1000 nodes takes {:.3g} µs a step, MuJoCo's chain of 1000 hinges "
        "{:.3g} µs: 1/{:.0f}.\n",
        1e6 * ours.seconds, 1e6 * *peer, *peer / ours.seconds);
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::run(argc > 1 ? std::atoi(argv[1]) : 10000);
  return 0;
}
