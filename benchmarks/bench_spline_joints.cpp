// Time of a step of semi-implicit Euler in chains of spline joints, over that of the same chain
// with hinges or universal joints; of the scenes of letters; and of a fit. Prints a table.
//     bench_spline_joints
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <vector>

#include "sinew/analysis/fit/curve_fit.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/math/normal_numbers.hpp"
#include "sinew/math/so3.hpp"
#include "sinew/model/shape.hpp"

namespace bench {
namespace {

using namespace sinew;

constexpr int kTurns = 40;  // of all measurements, one after another: the fastest counts

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A curve that bends and turns by a radian over its range, of this many frames.
Joint curve(int frames) {
  std::vector<Pose> list;
  for (int j = 0; j < frames; ++j) {
    const double s = static_cast<double>(j) / (frames - 1) - 0.5;
    list.push_back(exp((Vec6() << 0.1 * s, 0.2 * s * s, s, 0.02 * s, 0, 0.01 * s * s).finished()));
  }
  return SplineCurve::Uniform(list, SplineEnds::open);
}

Joint surface() {
  std::array<MatX, 6> grids;
  for (MatX& grid : grids) grid = MatX::Zero(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const double u = j / 5.0 - 0.5, v = i / 5.0 - 0.5;
      grids[0](i, j) = 0.02 * u * v;
      grids[2](i, j) = 0.01 * (u * u + v * v);
      grids[3](i, j) = u;
      grids[4](i, j) = v;
      grids[5](i, j) = 0.1 * u * v;
    }
  return SplineSurface(grids);
}

System chain(const Joint& joint, int bodies) {
  SkeletonBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    BodySpec spec;
    spec.name = fmt::format("rod{}", i + 1);
    spec.joint = joint;
    if (i > 0) {
      spec.parent = fmt::format("rod{}", i);
      spec.E_PJ.p = Vec3(0.1, 0, 0);
    }
    const Cuboid solid{Vec3(0.1, 0.02, 0.02)};
    spec.M_B = composite_inertia({{solid, Pose::Translation(Vec3(0.05, 0, 0)), 1000}}, "rod");
    builder.add_body(spec);
  }
  SystemBuilder system(builder.build());
  system.set_gravity(Vec3(0, -9.81, 0));
  return system.build();
}

/// One system, stepped again and again from the same state.
class Stepped {
 public:
  Stepped(std::string name, System system, const StepOptions& options, double dt, double middle)
      : name_(std::move(name)),
        system_(std::move(system)),
        options_(options),
        dt_(dt),
        start_(initial_state(system_, options)),
        ws_(system_) {
    if (middle > 0) start_.q.setConstant(middle);
  }
  const std::string& name() const { return name_; }
  double best() const { return best_; }
  double best_for_each_body() const {
    return best_ / static_cast<double>(system_.skeleton().bodies().size());
  }
  void measure() {
    State state = start_;
    // About a millisecond: what lasts longer than a time slice of a busy machine is interrupted.
    const int steps = std::max<int>(3, static_cast<int>(2000 / system_.dof_count()));
    StepReport report;
    const double time = seconds([&] {
      for (int k = 0; k < steps; ++k) report = step(system_, options_, dt_, state, ws_);
    });
    if (report.status != StepStatus::ok) {
      fmt::print(stderr, "bench_spline_joints: {}: {}\n", name_, to_string(report.status));
      std::exit(1);
    }
    best_ = std::min(best_, time / steps);
  }

 private:
  std::string name_;
  System system_;
  StepOptions options_;
  double dt_;
  State start_;
  Workspace ws_;
  double best_ = 1e300;
};

Stepped stepped(const std::string& name, const Joint& joint, int bodies, double middle) {
  StepOptions options;
  options.integrator = Integrator::semi_implicit_euler;
  return {name, chain(joint, bodies), options, 1e-5, middle};
}

Stepped stepped(const std::string& scene) {
  const Scene read = load_scene(std::string(BENCH_SOURCE_DIR) + "/scenes/" + scene + ".json");
  StepOptions options;
  options.integrator = Integrator::semi_implicit_euler;
  return {scene, read.system, options, 1e-3, 0};
}

double fit_time() {
  NormalNumbers normal(1);
  std::vector<Pose> poses;
  std::vector<double> q;
  for (int k = 0; k < 1000; ++k) {
    const double s = k / 999.0;
    const double a = 2 * std::numbers::pi * s;
    Vec6 noise;
    for (int i = 0; i < 6; ++i) noise[i] = 1e-3 * normal();
    poses.push_back(
        Pose{rotation_about(Vec3(1, 2, 3).normalized(), 2 * s), Vec3(std::cos(a), std::sin(a), s)} *
        exp(noise));
    q.push_back(s);
  }
  CurveFitOptions options;
  options.frames = 40;
  double best = 1e300;
  for (int i = 0; i < 5; ++i) best = std::min(best, seconds([&] { fit_curve(poses, q, options); }));
  return best;
}

}  // namespace
}  // namespace bench

int main() {
  using namespace bench;
  std::vector<Stepped> all;
  all.push_back(stepped("100 hinges", sinew::Revolute(sinew::Vec3::UnitZ()), 100, 0));
  all.push_back(stepped("100 curves of 12 frames", curve(12), 100, 4.5));
  all.push_back(stepped("100 universal joints", sinew::Universal{}, 100, 0));
  all.push_back(stepped("100 surfaces", surface(), 100, 1.5));
  all.push_back(stepped("1000 curves of 12 frames", curve(12), 1000, 4.5));
  all.push_back(stepped("100 curves of 10000 frames", curve(10000), 100, 4998.5));
  all.push_back(stepped("1000 hinges", sinew::Revolute(sinew::Vec3::UnitZ()), 1000, 0));
  all.push_back(stepped("letters"));
  all.push_back(stepped("letters-sliding"));
  for (int i = 0; i < kTurns; ++i)
    for (Stepped& each : all) each.measure();
  fmt::print("| a step of semi-implicit Euler | µs | for each body |\n|---|---|---|\n");
  for (const Stepped& each : all)
    fmt::print("| {} | {:.1f} | {:.3f} |\n", each.name(), 1e6 * each.best(),
               1e6 * each.best_for_each_body());
  fmt::print("\n| | asked | measured |\n|---|---|---|\n");
  fmt::print("| curves over hinges | 3.5 | {:.2f} |\n", all[1].best() / all[0].best());
  fmt::print("| surfaces over universal joints | 2.5 | {:.2f} |\n", all[3].best() / all[2].best());
  fmt::print("| a body of 1000 over one of 100 | 1 | {:.2f} |\n",
             all[4].best_for_each_body() / all[1].best_for_each_body());
  fmt::print("| the same of hinges | – | {:.2f} |\n",
             all[6].best_for_each_body() / all[0].best_for_each_body());
  fmt::print("| 10 000 frames over 12 | 1 | {:.2f} |\n", all[5].best() / all[1].best());
  fmt::print("| letters, a step [µs] | 20 | {:.1f} and {:.1f} |\n", 1e6 * all[7].best(),
             1e6 * all[8].best());
  fmt::print("| 1000 poses by 40 frames [ms] | 50 | {:.1f} |\n", 1e3 * fit_time());
}
