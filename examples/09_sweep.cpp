// Sweeps a parameter over threads: the period of a pendulum grows with its amplitude.
//
// All threads share one System, which never changes. Each has its own State and Workspace. The
// results are the same bits for any number of threads.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sinew/sinew.hpp>
#include <thread>
#include <vector>

namespace {

constexpr int kAmplitudes = 17;  // 1°, 11°, …, 161°
double amplitude(int i) { return (1 + 10 * i) * std::numbers::pi / 180; }

/// Released at rest, the pendulum hangs straight down after a quarter of its period.
double period(const sinew::System& system, double start, sinew::Workspace& ws) {
  sinew::State state = system.default_state();
  state.q[0] = start;
  while (state.q[0] > 0)
    sinew::step(system, {.integrator = sinew::Integrator::rk4}, 1e-3, state, ws);
  return 4 * (state.t - state.q[0] / state.qdot[0]);
}

std::vector<double> sweep(const sinew::System& system, int thread_count) {
  std::vector<double> periods(kAmplitudes);
  std::atomic<int> next = 0;
  const auto work = [&] {
    sinew::Workspace ws(system);
    for (int i = next++; i < kAmplitudes; i = next++)
      periods[static_cast<size_t>(i)] = period(system, amplitude(i), ws);
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work);
  threads.clear();  // waits for all
  return periods;
}

}  // namespace

int main() {
  sinew::BodySpec bob;
  bob.name = "bob";
  bob.joint = sinew::Revolute{sinew::Vec3::UnitZ()};
  bob.M_B = sinew::SpatialInertia::FromCentral(1, {0, -1, 0}, 1e-3 * sinew::Mat3::Identity());
  const sinew::System system =
      sinew::SystemBuilder(sinew::SkeletonBuilder().add_body(bob).build()).build();

  const std::vector<double> one = sweep(system, 1), four = sweep(system, 4);
  bool right = true;
  for (int i = 0; i < kAmplitudes; ++i) {
    const double measured = one[static_cast<size_t>(i)] / one[0];
    // Exactly, up to a factor that does not depend on the amplitude a: K(sin(a/2)), the complete
    // elliptic integral.
    const double exact = std::comp_ellint_1(std::sin(amplitude(i) / 2)) /
                         std::comp_ellint_1(std::sin(amplitude(0) / 2));
    // The crossing of the lowest point is known to (1 ms)² times its acceleration over its speed.
    right = right && std::abs(measured / exact - 1) < 1e-5;
    if (i % 4 == 0)
      std::printf("%3d degrees: period %.4f of the shortest, exactly %.4f\n", 1 + 10 * i, measured,
                  exact);
  }
  std::printf("one and four threads give %s\n", one == four ? "the same bits" : "different bits");
  return right && one == four ? 0 : 1;
}
