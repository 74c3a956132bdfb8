// The cost of a muscle: ten hinges with muscles around cylinders, massless compared with MuJoCo,
// and with mass. Steps are Euler's, one evaluation each. And one span alone, by closed form and by
// networks.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>

#include "muscle_chain.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/scene/network_reader.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "sinew/system/equations.hpp"

namespace bench {

MuscleChain muscle_chain(int count) {
  MuscleChain chain;
  for (int k = 0; k < count; ++k) {
    const double angle = 0.7 * k, r = 0.06;
    chain.muscles.push_back({k % (MuscleChain::kLinks - 1),
                             {r * std::cos(angle), -0.05, r * std::sin(angle)},
                             {r * std::cos(angle), -0.12, r * std::sin(angle)},
                             k % 3 == 0});
  }
  return chain;
}

namespace {

using sinew::BodyIndex;
using sinew::Vec3;

Vec3 vec(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

/// The surface's pose: its z along x or z of the body.
sinew::Pose surface_pose(bool axis_x) {
  sinew::Pose E;
  E.p = Vec3(0, -MuscleChain::kLinkLength, 0);
  if (axis_x) E.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  return E;
}

sinew::System make_system(const MuscleChain& chain, double mass, sinew::WrapKind kind) {
  sinew::SkeletonBuilder skeleton;
  for (int k = 0; k < MuscleChain::kLinks; ++k) {
    sinew::BodySpec body;
    body.name = fmt::format("b{}", k);
    if (k > 0) {
      body.parent = fmt::format("b{}", k - 1);
      body.E_PJ.p = Vec3(0, -MuscleChain::kLinkLength, 0);
    }
    body.joint = sinew::Revolute{k % 2 ? Vec3(0, 0, 1) : Vec3(0, 1, 0)};
    body.M_B = sinew::SpatialInertia::FromCentral(MuscleChain::kMass,
                                                  Vec3(0, -MuscleChain::kLinkLength / 2, 0),
                                                  vec(MuscleChain::kInertia).asDiagonal());
    body.q0 = {MuscleChain::kStart};
    skeleton.add_body(body);
  }
  sinew::SystemBuilder builder(skeleton.build());
  for (const MuscleSpec& spec : chain.muscles) {
    const BodyIndex a = builder.skeleton().find_body(fmt::format("b{}", spec.body));
    const BodyIndex b = builder.skeleton().find_body(fmt::format("b{}", spec.body + 1));
    sinew::Muscle muscle;
    muscle.name = fmt::format("m{}", &spec - chain.muscles.data());
    muscle.points = {sinew::PathPoint::Fixed(a, vec(spec.origin)),
                     sinew::PathPoint::Fixed(b, vec(spec.insertion))};
    // The side on which the muscle lies at the start, seen in the surface's frame.
    const sinew::Pose E = surface_pose(spec.axis_x);
    const Vec3 o = E.R.transpose() * (vec(spec.origin) - E.p);
    const double y = -MuscleChain::kLinkLength + spec.insertion[1] - E.p.y();
    const Vec3 i = E.R.transpose() * Vec3(spec.insertion[0], y, spec.insertion[2]);
    sinew::CylinderWrap wrap;
    wrap.radius = MuscleChain::kRadius;
    wrap.model = kind;
    wrap.side = o.x() * i.y() - o.y() * i.x() >= 0 ? sinew::WrapSide::counter_clockwise
                                                   : sinew::WrapSide::clockwise;
    muscle.spans = {{a, E, wrap}};
    muscle.mass = mass;
    muscle.tension = MuscleChain::kTension;
    builder.add_muscle(muscle);
  }
  return builder.build();
}

void add_sinew(const std::string& name, int muscles, double mass) {
  auto system = std::make_shared<const sinew::System>(
      make_system(muscle_chain(muscles), mass, sinew::WrapKind::smooth));
  benchmark::RegisterBenchmark(name.c_str(), [system](benchmark::State& state) {
    sinew::Workspace ws(*system);
    sinew::StepOptions options;
    sinew::State at = system->default_state();
    int steps = 0;
    for (auto _ : state) {
      step(*system, options, 1e-3, at, ws);
      if (++steps % 200 == 0) at = system->default_state();
    }
  })->Unit(benchmark::kMicrosecond);
}

/// One span around a cylinder with its derivatives by o and i: in closed form, and by networks.
void add_span(const std::string& name, const sinew::Wrap& wrap) {
  benchmark::RegisterBenchmark(("span/" + name).c_str(), [wrap](benchmark::State& state) {
    const Vec3 o(-0.5, 0.02, 0.1), i(0.6, -0.03, -0.1);
    sinew::Point<sinew::PathDual> o_d, i_d;
    for (int k = 0; k < 3; ++k) {
      o_d[k] = sinew::PathDual::Variable(o[k], k);
      i_d[k] = sinew::PathDual::Variable(i[k], k + 3);
    }
    auto shape = std::make_unique<sinew::SpanShape<sinew::PathDual>>();
    for (auto _ : state) {
      sinew::shape<sinew::PathDual>(wrap, solve(wrap, o, i), o_d, i_d, *shape);
      benchmark::DoNotOptimize(shape->length);
    }
  })->Unit(benchmark::kMicrosecond);
}

void add_spans() {
  add_span("exact", sinew::CylinderWrap{.radius = 0.15, .model = sinew::WrapKind::exact});
  add_span("smooth", sinew::CylinderWrap{.radius = 0.15});
  for (const std::string name : {"cylinder-invariant", "cylinder-raw"})
    add_span(name + " 15 points",
             sinew::NeuralWrap{.radius = 0.15,
                               .network = sinew::read_wrap_network(
                                   SINEW_SOURCE_DIR "/models/neural/" + name + ".mlp")});
}

#ifdef BENCH_MUJOCO
void add_mujoco(int muscles) {
  auto chain = std::make_shared<MujocoMuscles>(muscle_chain(muscles));
  benchmark::RegisterBenchmark(fmt::format("step/{}/mujoco", muscles).c_str(),
                               [chain](benchmark::State& state) {
                                 int steps = 0;
                                 for (auto _ : state) {
                                   chain->step();
                                   if (++steps % 200 == 0) chain->reset();
                                 }
                               })
      ->Unit(benchmark::kMicrosecond);
}

/// Compares lengths at the start if both wrap, exact model; MuJoCo chooses the side by itself.
void print_agreement() {
  const MuscleChain chain = muscle_chain(100);
  const MujocoMuscles mujoco(chain);
  const sinew::System system = make_system(chain, 0, sinew::WrapKind::exact);
  const sinew::State state = system.default_state();
  sinew::Workspace ws(system);
  update_forces(system, {0, state.q, state.qdot}, ws);
  const sinew::ConstVecRef q(state.q), qdot(state.qdot);
  sinew::PathWorkspace paths;
  int agree = 0;
  for (size_t m = 0; m < 100; ++m) {
    const double length = system.muscles()[m]
                              ->update_path({system.skeleton(), 0, q, qdot, ws.skeleton}, paths)
                              .length;
    agree += std::abs(length - mujoco.length(static_cast<int>(m))) < 1e-9;
  }
  fmt::print(stderr, "{} of 100 lengths agree with MuJoCo's to 1e-9 m at the start\n", agree);
}
#endif

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
#ifdef BENCH_MUJOCO
  bench::print_agreement();
#endif
  bench::add_spans();
  bench::add_sinew("step/0/sinew", 0, 0);
  for (const int n : {20, 100}) {
    bench::add_sinew(fmt::format("step/{}/sinew massless", n), n, 0);
    bench::add_sinew(fmt::format("step/{}/sinew with mass", n), n, 0.1);
#ifdef BENCH_MUJOCO
    bench::add_mujoco(n);
#endif
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
