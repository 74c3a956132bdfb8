#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/math/so3.hpp"

/// A body on smooth ground, level or sloping, and the result of its run.

namespace sinew::test {

inline constexpr double kG = 9.80665;
struct Outcome {
  State state;
  double work = 0;       ///< work of damping and friction
  double gained = -1e9;  ///< largest increase of E within a step [J]
  double peak = -1e9;    ///< largest E less that of the start [J]
  /// Newton iterations, and how many steps had motion to find.
  int iterations = 0, most_iterations = 0, moving_steps = 0;
  bool finished = false;
};

inline Outcome simulated(const System& system, Integrator integrator, double h, double until) {
  Outcome run;
  run.state = system.default_state();
  Workspace ws(system);
  SimulationSettings settings;
  settings.step.integrator = integrator;
  settings.step.relative_tolerance = 1e-10;
  settings.step.absolute_tolerance = 1e-12;
  settings.dt = h;
  settings.until = until;
  const double E0 = energy(system, {0, run.state.q, run.state.qdot}, ws).total();
  double E = E0;
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport& report) {
    const Energy now = energy(system, s, ws);
    run.gained = std::max(run.gained, now.total() - E);
    run.peak = std::max(run.peak, now.total() - E0);
    E = now.total();
    if (now.kinetic > 1e-6) ++run.moving_steps;
    run.work += report.work;
    run.iterations += report.newton_iterations;
    run.most_iterations = std::max(run.most_iterations, report.newton_iterations);
  };
  run.finished = simulate(system, settings, run.state, ws, observer).end == SimulationEnd::finished;
  EXPECT_TRUE(run.finished);
  return run;
}

inline double total_energy(const System& system, const State& state) {
  Workspace ws(system);
  return energy(system, state, ws).total();
}

/// A solid of 2 kg on ground that slopes by `angle` down towards x: the joint's frame is tilted
/// with it, so that coordinates are along and above the slope.
struct OnSlope {
  ContactShape shape = Cuboid{{0.4, 0.2, 0.3}};
  Joint joint = Translational();
  double angle = 0;
  std::vector<double> q0 = {0, 0, 0}, qdot0 = {0, 0, 0};
  SmoothContactLaw law;
  double gravity = kG;

  static constexpr double kMass = 2;

  System build() const {
    const Mat3 tilt = rotation_about(Vec3::UnitZ(), -angle);
    BodySpec spec;
    spec.name = "thing";
    spec.joint = joint;
    spec.E_PJ = Pose::Rotation(tilt);
    spec.M_B = SpatialInertia::FromCentral(kMass, Vec3::Zero(), moments().asDiagonal());
    spec.q0 = q0;
    spec.qdot0 = qdot0;
    SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
    builder.set_gravity(Vec3(0, -gravity, 0));
    builder.add_force(std::make_shared<SmoothContact>(
        "ground", BodyIndex(0), std::vector<ContactPart>{{shape, Pose()}},
        ContactPlane{kWorld, Vec3::Zero(), tilt * Vec3::UnitY()}, law));
    return builder.build();
  }

 private:
  Vec3 moments() const {
    if (const auto* ball = std::get_if<Sphere>(&shape))
      return Vec3::Constant(0.4 * kMass * ball->radius * ball->radius);
    const Vec3 s2 = std::get<Cuboid>(shape).sides.cwiseAbs2();
    return kMass / 12 * Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y());
  }
};

/// Depth at which `points` contacts of the default law carry `load`, where that is beyond the
/// onset.
inline double depth_under(double load, int points, const SmoothContactLaw& law) {
  const double depth = load / (points * law.stiffness) + 0.5 * law.onset;
  EXPECT_GE(depth, law.onset);
  return depth;
}

}  // namespace sinew::test
