#include "sinew/adjoint/force_objectives.hpp"

#include <gmock/gmock.h>

#include "integrate/constrained_systems.hpp"
#include "integrate/feature_systems.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace force_objectives_test {

using testing::HasSubstr;

/// The term's derivatives by q, q̇ and λ of the last state of a run.
void expect_derivatives(const System& system, const State& state, const LeastSquares& term) {
  Workspace ws(system);
  const auto n = static_cast<Eigen::Index>(system.dof_count()), rows = row_count(system);
  VecX x(2 * n + rows);
  x << state.q, state.qdot, test::Random(4).vecx(static_cast<int>(rows), 3.0);
  const auto evaluate = [&](const VecX& at, StateVectors* bar) {
    State moved = state;
    moved.q = at.head(n);
    moved.qdot = at.segment(n, n);
    const VecX lambda = at.tail(rows);
    return term.evaluate({system, moved, 5, 5, 0.01, ws, view(lambda)}, bar);
  };
  StateVectors bar;
  bar.set_zero(system);
  evaluate(x, &bar);
  MatX claimed(1, x.size());
  claimed << bar.q.transpose(), bar.qdot.transpose(), bar.lambda.transpose();
  EXPECT_GT(claimed.norm(), 0);
  const DifferenceSweep sweep = check_derivative(
      [&](const VecX& at) { return VecX::Constant(1, evaluate(at, nullptr)); }, x, claimed);
  EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
}

/// A foot on two joints over a board that tilts: both ends of the contact move.
System foot_on_board() {
  BodySpec board;
  board.name = "board";
  board.joint = Free2D{};
  board.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), 0.1 * Mat3::Identity());
  board.q0 = {0.01, -0.02, 0.1};
  BodySpec leg;
  leg.name = "leg";
  leg.joint = SphericalExp{};
  leg.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), 0.05 * Mat3::Identity());
  leg.E_PJ = Pose{Mat3::Identity(), Vec3(0, 0.5, 0)};
  leg.q0 = {0.2, -0.1, 0.15};
  BodySpec foot = leg;
  foot.name = "foot";
  foot.parent = "leg";
  foot.joint = Universal{};
  foot.E_PJ = Pose{Mat3::Identity(), Vec3(0, -0.4, 0)};
  foot.q0 = {0.1, -0.2};
  SystemBuilder builder(SkeletonBuilder().add_body(board).add_body(leg).add_body(foot).build());
  SmoothContactLaw law;
  law.onset = 0.02;  // deep enough for differences over a range of steps
  law.creep_velocity = 0.3;
  const ContactPlane top{BodyIndex(0), Vec3(0, 0.05, 0), Vec3(0.1, 1, 0)};
  builder.add_force(std::make_shared<SmoothContact>(
      "heel", BodyIndex(2),
      std::vector<ContactPart>{{Sphere{0.08}, Pose{Mat3::Identity(), Vec3(-0.03, -0.03, 0.02)}}},
      top, law));
  builder.add_force(std::make_shared<SmoothContact>(
      "toe", BodyIndex(2),
      std::vector<ContactPart>{{Sphere{0.07}, Pose{Mat3::Identity(), Vec3(0.1, -0.05, 0)}}}, top,
      law));
  return builder.build();
}

TEST(ForceObjectives, HaveTheDerivativesOfContactForces) {
  const System system = foot_on_board();
  State state = system.default_state();
  state.qdot = test::Random(5).vecx(system.dof_count(), 0.4);
  Workspace ws(system);
  const ContactForceTarget heel(system, {"heel"}, Vec3::Zero(), 1.0, Moments::end());
  const ContactForceTarget both(system, {"heel", "toe"}, Vec3(0, 100, 5), 2.0, Moments::end());
  // The foot is pushed up by both.
  EXPECT_GT(heel.residual({system, state, 5, 5, 0.01, ws})[1], 50);
  EXPECT_GT(both.residual({system, state, 5, 5, 0.01, ws})[1],
            heel.residual({system, state, 5, 5, 0.01, ws})[1]);
  expect_derivatives(system, state, heel);
  expect_derivatives(system, state, both);
  EXPECT_THAT(test::message_of(
                  [&] { ContactForceTarget(system, {"heal"}, Vec3::Zero(), 1.0, Moments::end()); }),
              HasSubstr("did you mean 'heel'?"));
}

TEST(ForceObjectives, HaveTheDerivativesOfReactions) {
  const System loop = test::FourBar{}.builder(0.7).build();
  ASSERT_FALSE(loop.constraints().empty());
  const std::vector<std::string> names = ReactionTarget::names(loop);
  for (const std::string& name : names) {
    if (name.ends_with("_z")) continue;  // across the plane: none
    SCOPED_TRACE(name);
    expect_derivatives(loop, loop.default_state(),
                       ReactionTarget(loop, name, 0.4, 2.0, Moments::end()));
  }
  const Feature coupled[] = {Feature::constraints};
  const System coupling = test::system_with(coupled);
  expect_derivatives(coupling, coupling.default_state(),
                     ReactionTarget(coupling, "coupling_force", 0.4, 2.0, Moments::steps()));
  EXPECT_THAT(
      test::message_of([&] { ReactionTarget(loop, names[0] + "s", 0.0, 1.0, Moments::end()); }),
      HasSubstr("did you mean '" + names[0] + "'?"));
  EXPECT_THAT(test::message_of([&] {
                ReactionTarget(loop, names[0], 0.0, 1.0, Moments::states({0, 3}));
              }),
              HasSubstr("not at the start of the run"));
}

}  // namespace force_objectives_test
}  // namespace sinew
