#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/io/scene/network_reader.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "support/source_dir.hpp"

/// The purpose of a network (Wang 2022 Fig. 1.6): a muscle with mass that touches down keeps its
/// energy.

namespace sinew {
namespace neural_energy_test {

/// A pendulum whose bob passes the insertion at touch-down, (0.295, 0.25), on every swing;
/// the muscle, as heavy as the bob, comes from (−0.5, 0) over a cylinder of radius 0.15 about z.
System pendulum_with(const Wrap& wrap) {
  BodySpec bob;
  bob.name = "bob";
  bob.joint = Revolute{Vec3(0, 0, 1)};
  bob.E_PJ.p = Vec3(0.3, 0.75, 0);
  bob.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.5, 0), Vec3(.01, .01, .01).asDiagonal());
  bob.q0 = {0.5};
  SystemBuilder builder(SkeletonBuilder().add_body(bob).build());
  builder.set_gravity(Vec3(0, -9.80665, 0));
  Muscle muscle;
  muscle.name = "muscle";
  muscle.points = {PathPoint::Fixed(kWorld, Vec3(-0.5, 0, 0)),
                   PathPoint::Fixed(BodyIndex(0), Vec3(0, -0.5, 0))};
  muscle.spans = {{kWorld, Pose(), wrap}};
  muscle.mass = 1;
  builder.add_muscle(muscle);
  return builder.build();
}

/// Largest error of the energy over the largest kinetic energy, RK4 over 0.8 s.
double energy_error(const Wrap& wrap, double h) {
  const System system = pendulum_with(wrap);
  Workspace ws(system);
  State state = system.default_state();
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  double error = 0, kinetic = 0;
  const int steps = static_cast<int>(std::lround(0.8 / h));
  for (int k = 0; k < steps; ++k) {
    test::run(system, test::with(Integrator::rk4), h, 1, state, ws);
    const Energy at = energy(system, state, ws);
    error = std::max(error, std::abs(at.total() - E_0));
    kinetic = std::max(kinetic, at.kinetic);
  }
  return error / kinetic;
}

TEST(NeuralEnergy, SurvivesTouchDownWhereTheExactPathsDoesNot) {
  const CylinderWrap exact{.radius = 0.15, .side = WrapSide::clockwise, .model = WrapKind::exact};
  const NeuralWrap neural{
      .radius = 0.15,
      .side = WrapSide::clockwise,
      .network = read_wrap_network(test::source_dir() + "/models/neural/cylinder-invariant.mlp"),
      .pieces = 6};
  const double of_exact = energy_error(exact, 2e-3), coarse = energy_error(neural, 8e-3),
               fine = energy_error(neural, 4e-3);
  // Seen: 1.3e-2, 6e-7, 5e-8. The exact path's mass matrix jumps at each touch-down, whatever h;
  // the network's is smooth, and RK4 keeps its order (3.7 here) through them.
  EXPECT_GT(of_exact, 5e-3);
  EXPECT_LT(coarse, 2e-6);
  EXPECT_LT(fine, coarse / 8);
}

}  // namespace neural_energy_test
}  // namespace sinew
