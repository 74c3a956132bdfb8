#pragma once

#include <numbers>

#include "integrate/constrained_systems.hpp"

/// Systems with limits and contacts that tests share. Y is up, SI.

namespace sinew::test {

inline constexpr double kGravity = 9.80665;

inline ContactSurface surface(const std::string& name, BodyIndex body, ContactShape shape,
                              double friction, double restitution = 0, Pose E_BS = {}) {
  return {name, body, E_BS, std::move(shape), {friction, restitution}};
}

/// Ground whose normal is y turned by `slope` about a level direction at `heading` [rad].
inline ContactSurface slope_ground(double slope, double heading, double friction,
                                   double restitution = 0) {
  const Vec3 axis(std::cos(heading), 0, std::sin(heading));
  Pose E;
  E.R = Eigen::AngleAxisd(slope, axis).toRotationMatrix();
  return surface("ground", kWorld, Plane{}, friction, restitution, E);
}

/// A free body with the inertia of a solid of density 1000 kg/m³.
inline BodySpec free_body(const std::string& name, const ContactShape& shape, const Pose& E_WB) {
  BodySpec spec;
  spec.name = name;
  spec.joint = Free3D(Free3D::Order::translation_first);
  spec.E_PJ = E_WB;
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.inertia(1000.0); }) spec.M_B = s.inertia(1000.0);
      },
      shape);
  return spec;
}

struct ContactRun {
  System system;
  Workspace ws;
  State state;
  StepOptions options;
  double h;
  double worst_residual = 0, worst_error = 0, work = 0;

  ContactRun(System s, double step_length,
             Integrator integrator = Integrator::linearly_implicit_euler)
      : system(std::move(s)), ws(system), state(system.default_state()), h(step_length) {
    options.integrator = integrator;
  }
  StepReport step() {
    const StepReport report = sinew::step(system, options, h, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok)
        << "t = " << state.t << ' ' << describe(system.unilaterals(), report.worst_source)
        << " error " << report.constraint_error << " residual " << report.contact_residual;
    worst_residual = std::max(worst_residual, report.contact_residual);
    worst_error = std::max(worst_error, report.constraint_error);
    work += report.work;
    return report;
  }
  void run(double duration) {
    for (int k = 0; k < static_cast<int>(std::lround(duration / h)); ++k)
      if (step().status != StepStatus::ok) return;
  }
  double energy() { return sinew::energy(system, state, ws).total(); }
  double kinetic() { return sinew::energy(system, state, ws).kinetic; }
};

}  // namespace sinew::test
