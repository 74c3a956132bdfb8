#include <gtest/gtest.h>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "support/finite_difference.hpp"
#include "support/pulleys.hpp"

/// Gradients of runs pass through friction of strands.

namespace sinew {
namespace strand_friction_gradient_test {

TEST(StrandFrictionGradient, IsThatOfDifferences) {
  // 5 kg and 1 kg on a rope that slides over a wheel and turns it.
  SystemBuilder builder(
      SkeletonBuilder().add_body(test::wheel("wheel", Vec3::Zero(), 1e-3)).build());
  builder.add_strand_node(test::free_node("light", Vec3(-0.2, -1, 0), 1));
  builder.add_strand_node(test::free_node("heavy", Vec3(0.2, -1, 0.1), 5));
  StrandGuide guide = test::pulley("pulley", BodyIndex(0), Vec3::Zero(), 0.1, WrapSide::clockwise,
                                   GuideHold::friction);
  guide.friction = {0.3, 0.05, 0};
  builder.add_strand_guide(guide);
  Strand rope;
  rope.name = "rope";
  rope.density = 0.2;
  rope.law = {LinearStretch{500}, 5, false};
  rope.points = {{"light", 0.0, "pulley"}, {"heavy", 2.2}};
  const System system = builder.add_strand(rope).build();

  RunSettings settings;
  settings.step.integrator = Integrator::sdirk2;
  settings.step.newton_tolerance = 1e-14;
  settings.step = differentiable_options(settings.step);
  settings.dt = 2e-3;
  settings.steps = 5;
  const State start = system.default_state();
  const int material = system.dof_count() - 1;
  RunParameters parameters(system, start);
  parameters.add_start_q(material, 1);
  parameters.add_start_qdot(0, 1);
  parameters.add_start_qdot(5, 1);
  const Vec3 p(start.q[material], 0.5, -0.3);  // the wheel, the heavy end
  const SumOfObjectives objective(
      {std::make_shared<CoordinateTarget>(0, CoordinateTarget::Of::rate, 0.5, 0.3),
       std::make_shared<CoordinateTarget>(material, CoordinateTarget::Of::value, 0.1, 4.0)});
  RunDerivatives run(system, settings);
  ValueAndGradient at;
  ASSERT_TRUE(differentiate(run, parameters, objective, p, at)) << run.failure();
  const auto value = [&](const VecX& x) {
    parameters.set(x);
    State state = parameters.start();
    Workspace ws(system);
    for (int k = 0; k < settings.steps; ++k)
      EXPECT_EQ(step(system, settings.step, settings.dt, state, ws).status, StepStatus::ok);
    return VecX::Constant(
        1, objective.evaluate({system, state, settings.steps, settings.steps, settings.dt, ws},
                              nullptr));
  };
  EXPECT_GT(at.gradient.cwiseAbs().minCoeff(), 1e-6);
  const DifferenceSweep sweep = check_derivative(value, p, at.gradient.transpose());
  EXPECT_TRUE(sweep.confirms(1e-6)) << sweep.table();
}

}  // namespace strand_friction_gradient_test
}  // namespace sinew
