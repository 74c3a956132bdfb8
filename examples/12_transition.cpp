// Balances a double pendulum upside down with a motor in its upper joint alone.
//
// The matrices A and B of one step, δx₁ = A δx + B δu, are exact derivatives of the step as it is
// computed. A linear-quadratic regulator designed with them needs no other model.
#include <cstdio>
#include <limits>
#include <sinew/sinew.hpp>

namespace {

using namespace sinew;

/// u = −K x.
struct Regulator final : Controls {
  MatX K;
  void evaluate(double, const At& start, VecRef values) const override {
    VecX x(start.q.size() + start.qdot.size());
    x << start.q, start.qdot;
    values = -K * x;
  }
};

}  // namespace

int main() {
  BodySpec lower;
  lower.name = "lower";
  lower.joint = Revolute{Vec3::UnitZ()};
  lower.M_B = SpatialInertia::FromCentral(1, {0, 0.25, 0}, 0.02 * Mat3::Identity());
  BodySpec upper = lower;
  upper.name = "upper";
  upper.parent = "lower";
  upper.E_PJ.p = {0, 0.5, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(lower).add_body(upper).build());
  constexpr double kFar = std::numeric_limits<double>::infinity();
  builder.add_force(std::make_shared<CoordinateDrive>("motor", DofIndex(1), 1.0, 0.0,
                                                      CoordinateDrive::Range{-kFar, kFar}));
  const System system = builder.build();

  // The step's derivatives where both links stand upright.
  RunSettings settings;
  settings.step = differentiable_options({.integrator = Integrator::sdirk2});
  settings.dt = 5e-3;
  RunDerivatives run(system, settings);
  RunDerivatives::Transition step_of;
  if (!run.transition(system.controls(), system.default_state(), step_of)) return 1;
  const MatX &A = step_of.A, &B = step_of.B;

  // Riccati's equation by iteration: states and torques weigh alike.
  MatX P = MatX::Identity(4, 4);
  Regulator regulator;
  for (int k = 0; k < 4000; ++k) {
    regulator.K = (MatX::Identity(1, 1) + B.transpose() * P * B).inverse() * B.transpose() * P * A;
    P = MatX::Identity(4, 4) + A.transpose() * P * (A - B * regulator.K);
  }
  std::printf("the largest eigenvalue of a step is %.4f without and %.4f with the regulator\n",
              A.eigenvalues().cwiseAbs().maxCoeff(),
              (A - B * regulator.K).eigenvalues().cwiseAbs().maxCoeff());

  State state = system.default_state();
  state.q[0] = 0.05;
  Workspace ws(system);
  for (int k = 0; k < 1000; ++k)
    if (step(system, settings.step, settings.dt, regulator, state, ws).status != StepStatus::ok)
      return 1;
  const double off = state.q.cwiseAbs().maxCoeff();
  std::printf("after 5 s the links are %.4f rad from upright\n", off);
  return off < 1e-3 ? 0 : 1;
}
