#pragma once

#include <cmath>
#include <memory>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/integrate/integrator.hpp"

/// Systems that the integrators' tests share.

namespace sinew::test {

/// τ = amplitude sin(rate t) on one coordinate: a smooth force that depends on time.
class SineTorque final : public Force {
 public:
  SineTorque(DofIndex dof, double amplitude, double rate)
      : Force("drive"), dof_(dof), amplitude_(amplitude), rate_(rate) {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override {
    const double torque = amplitude_ * std::sin(rate_ * in.t);
    out.tau[dof_] += torque;
    out.power += torque * in.qdot[dof_];
  }
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  void validate(const Skeleton&) const override {}

 private:
  DofIndex dof_;
  double amplitude_, rate_;
};

/// τ = k q^3 (k < 0: a hardening spring) without a potential, so that its work shows in the report.
class CubicTorque final : public Force {
 public:
  CubicTorque(DofIndex dof, double k) : Force("cubic"), dof_(dof), k_(k) {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override {
    const double torque = k_ * std::pow(in.q[dof_], 3);
    out.tau[dof_] += torque;
    out.power += torque * in.qdot[dof_];
  }
  void add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const override {
    out.dtau_dq[dof_] += 3 * k_ * std::pow(in.q[dof_], 2);
  }
  void validate(const Skeleton&) const override {}

 private:
  DofIndex dof_;
  double k_;
};

/// A mass on a slider.
inline Skeleton slider(double mass, double q0, double qdot0) {
  BodySpec spec;
  spec.name = "mass";
  spec.joint = Prismatic{Vec3(1, 0, 0)};
  spec.M_B = SpatialInertia::FromCentral(mass, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal());
  spec.q0 = {q0};
  spec.qdot0 = {qdot0};
  return SkeletonBuilder().add_body(spec).build();
}

/// m q̈ = −k q − d q̇.
inline System oscillator(double mass, double stiffness, double damping, double q0, double qdot0) {
  SystemBuilder builder(slider(mass, q0, qdot0));
  builder.add_force(std::make_shared<JointSpring>("spring", DofIndex(0), stiffness, damping, 0));
  return builder.build();
}

/// Links of 0.2 m and 1 kg that hang in −z, all axes y: with two of them the pendulum of the energy
/// target, which starts at (1.5, 1.0) rad at rest.
inline Skeleton pendulum_skeleton(int links) {
  SkeletonBuilder builder;
  for (int i = 0; i < links; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i + 1);
    if (i > 0) {
      spec.parent = "b" + std::to_string(i);
      spec.E_PJ.p = Vec3(0, 0, -0.2);
    }
    spec.joint = Revolute{Vec3(0, 1, 0)};
    spec.M_B =
        SpatialInertia::FromCentral(1, Vec3(0, 0, -0.1), Vec3(.004, .004, .001).asDiagonal());
    spec.q0 = {i == 0 ? 1.5 : 1.0};
    builder.add_body(spec);
  }
  return builder.build();
}

inline System pendulum(int links) {
  return SystemBuilder(pendulum_skeleton(links)).set_gravity(Vec3(0, 0, -9.80665)).build();
}

/// Six coordinates (universal, revolute, spherical), gravity, springs and dampers at joints and
/// between points, drag, and a torque that varies with time: everything an order can get lost in.
inline System smooth_system() {
  const auto inertia = [](double mass, double length) {
    const double I = mass * length * length / 3;
    return SpatialInertia::FromCentral(mass, Vec3(0, -length / 2, 0),
                                       Vec3(1.1 * I, 0.8 * I, I).asDiagonal());
  };
  BodySpec thigh;
  thigh.name = "thigh";
  thigh.joint = Universal{};
  thigh.M_B = inertia(1.2, 0.5);
  thigh.q0 = {0.4, -0.3};
  thigh.qdot0 = {0.5, 0.2};
  BodySpec shank;
  shank.name = "shank";
  shank.parent = "thigh";
  shank.joint = Revolute{Vec3(0.2, 0.1, 1)};
  shank.E_PJ.p = Vec3(0, -0.5, 0);
  shank.M_B = inertia(0.8, 0.4);
  shank.q0 = {0.7};
  shank.qdot0 = {-0.4};
  BodySpec foot;
  foot.name = "foot";
  foot.parent = "shank";
  foot.joint = SphericalExp{};
  foot.E_PJ.p = Vec3(0.02, -0.4, 0);
  foot.M_B = inertia(0.5, 0.3);
  foot.q0 = {0.2, -0.5, 0.3};
  foot.qdot0 = {0.3, 0.6, -0.2};

  SystemBuilder builder(SkeletonBuilder().add_body(thigh).add_body(shank).add_body(foot).build());
  builder.set_gravity(
      Vec3(0.1, -1, 0.2));  // gentle, so that methods of first order get to 1e-4 too
  builder.add_force(std::make_shared<JointSpring>("knee", DofIndex(2), 0.5, 0.05, 0.2));
  builder.add_force(std::make_shared<PointSpring>("band", kWorld, Vec3(0.3, 0.2, 0.1), BodyIndex(2),
                                                  Vec3(0, -0.2, 0.05), 1.0, 0.1, 0.4));
  builder.add_force(std::make_shared<BodyDamping>("air", BodyIndex(1), 0.01, 0.02));
  builder.add_force(std::make_shared<SineTorque>(DofIndex(0), 0.2, 3.0));
  return builder.build();
}

/// n steps of h; expects each to succeed. Returns the work of non-conservative forces.
inline double run(const System& system, const StepOptions& options, double h, int n, State& state,
                  Workspace& ws) {
  double work = 0;
  for (int k = 0; k < n; ++k) {
    const StepReport report = step(system, options, h, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok) << "step " << k << ": " << to_string(report.status);
    if (report.status != StepStatus::ok) break;
    work += report.work;
  }
  return work;
}

inline StepOptions with(Integrator integrator) {
  StepOptions options;
  options.integrator = integrator;
  return options;
}

/// dopri5 to `until` at a tolerance near rounding.
inline State accurate_solution(const System& system, double until) {
  StepOptions options = with(Integrator::dopri5);
  options.relative_tolerance = 1e-13;
  options.absolute_tolerance = 1e-14;
  State state = system.default_state();
  Workspace ws(system);
  while (state.t < until) {
    const StepReport report = step(system, options, until - state.t, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok);
    if (report.status != StepStatus::ok) break;
  }
  return state;
}

inline double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).lpNorm<Eigen::Infinity>(),
                  (a.qdot - b.qdot).lpNorm<Eigen::Infinity>());
}

}  // namespace sinew::test
