#include "sinew/analysis/reactions.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"

namespace sinew {
namespace reactions_test {

constexpr double kGravity = 9.80665, kMass = 2, kLength = 0.5;

/// A rod that turns about z, its mass a point at kLength, with a motor that follows f; and a bob on
/// a string of that length beside it, hanging down.
System rod_and_bob(double q0, const TimeFunction& f) {
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute{Vec3::UnitZ()};
  rod.M_B = SpatialInertia::FromCentral(kMass, Vec3(kLength, 0, 0), 1e-9 * Mat3::Identity());
  rod.q0 = {q0};
  BodySpec bob;
  bob.name = "bob";
  bob.joint = Translational{};
  bob.M_B = SpatialInertia::FromCentral(kMass, Vec3::Zero(), 1e-9 * Mat3::Identity());
  bob.q0 = {1, -kLength, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(rod).add_body(bob).build());
  builder.add_constraint(
      std::make_shared<PrescribedCoordinate>("motor", DofIndex(0), ConstraintLevel::position, f));
  builder.add_constraint(std::make_shared<ConstantDistance>("string", kWorld, Vec3(1, 0, 0),
                                                            BodyIndex(1), Vec3::Zero(), kLength));
  return builder.build();
}

std::vector<double> reactions_at(const System& system, const StepOptions& options,
                                 const State& state) {
  Workspace ws(system);
  std::vector<double> out;
  reactions(system, options, state, system.controls(), ws, out);
  return out;
}

TEST(Reactions, AreNamedAfterTheirConstraints) {
  EXPECT_THAT(reaction_labels(rod_and_bob(0, 0.0)),
              testing::ElementsAre("motor_torque", "string_tension"));
  BodySpec body;
  body.name = "free";
  body.joint = Planar{};
  body.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  const System free = SystemBuilder(SkeletonBuilder().add_body(body).build()).build();
  EXPECT_THAT(reaction_labels(free), testing::IsEmpty());
  EXPECT_THAT(reactions_at(free, {}, free.default_state()), testing::IsEmpty());
}

TEST(Reactions, CarryTheWeightAndTurnAgainstIt) {
  const System system = rod_and_bob(0, 0.0);
  const std::vector<double> held = reactions_at(system, {}, system.default_state());
  // The motor lifts: counter-clockwise against a weight on the right. A string pulls.
  EXPECT_NEAR(held[0], kMass * kGravity * kLength, 1e-12);
  EXPECT_NEAR(held[1], kMass * kGravity, 1e-12);
}

TEST(Reactions, HoldAgainstTheCentrifugalForceAndBringAccelerationsAbout) {
  // f = 3 t²: an angular acceleration of 6 rad/s².
  const System system = rod_and_bob(0, TimeFunction(ScalarFunction(PolynomialFunction{{0, 0, 3}})));
  State state = system.default_state();
  const double v = 1.5;
  state.qdot[1] = v;
  const std::vector<double> moving = reactions_at(system, {}, state);
  const double I = kMass * kLength * kLength + 1e-9;
  EXPECT_NEAR(moving[0], kMass * kGravity * kLength + 6 * I, 1e-12);
  EXPECT_NEAR(moving[1], kMass * (kGravity + v * v / kLength), 1e-11);
}

TEST(Reactions, IncludeTheStabilisationWhereStepsDoNotProject) {
  const System system = rod_and_bob(0, 0.0);
  State state = system.default_state();
  const double error = 0.1, rate = 0.2;
  state.q[0] = error;
  state.qdot[0] = rate;
  StepOptions options;
  options.baumgarte = {.rate = 5, .position = 4, .implicit = 3};
  const double weight = kMass * kGravity * kLength * std::cos(error);
  EXPECT_NEAR(reactions_at(system, options, state)[0], weight, 1e-12);
  options.projection = false;
  const double I = kMass * kLength * kLength + 1e-9;
  EXPECT_NEAR(reactions_at(system, options, state)[0], weight - I * (2 * 5 * rate + 4 * 4 * error),
              1e-12);
}

}  // namespace reactions_test
}  // namespace sinew
