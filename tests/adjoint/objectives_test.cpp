#include "sinew/adjoint/objectives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/feature_systems.hpp"
#include "sinew/adjoint/motion_objectives.hpp"
#include "sinew/math/so3.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace objectives_test {

/// The term's derivatives by q, q̇ and λ of the last state of a run.
void expect_derivatives(const System& system, const LeastSquares& term) {
  Workspace ws(system);
  const auto n = static_cast<Eigen::Index>(system.dof_count()), rows = row_count(system);
  State state = system.default_state();
  test::Random random(3);
  state.qdot += random.vecx(system.dof_count(), 0.7);
  const VecX lambda = random.vecx(static_cast<int>(rows), 3.0);
  const auto value = [&](const VecX& x) {
    State moved = state;
    moved.q = x.head(n);
    moved.qdot = x.segment(n, n);
    const VecX multipliers = x.tail(rows);
    return VecX::Constant(
        1, term.evaluate({system, moved, 5, 5, 0.01, ws, view(multipliers)}, nullptr));
  };
  StateVectors bar;
  bar.set_zero(system);
  term.evaluate({system, state, 5, 5, 0.01, ws, view(lambda)}, &bar);
  VecX x(2 * n + rows);
  x << state.q, state.qdot, lambda;
  MatX claimed(1, x.size());
  claimed << bar.q.transpose(), bar.qdot.transpose(), bar.lambda.transpose();
  EXPECT_GT(claimed.norm(), 0);
  const DifferenceSweep sweep = check_derivative(value, x, claimed);
  EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
}

TEST(Objectives, HaveTheDerivativesOfTheirValues) {
  const Pose target{rotation_about(Vec3(1, 2, -1).normalized(), 0.8), Vec3(0.1, 0.2, 0.3)};
  for (const std::vector<Feature>& content :
       std::vector<std::vector<Feature>>{{},
                                         {Feature::soft_bodies},
                                         {Feature::dependent_coordinates},
                                         {Feature::strands},
                                         {Feature::hill_muscles, Feature::massive_muscles}}) {
    const System system = test::system_with(content);
    const BodyIndex body(2);
    SCOPED_TRACE(content.empty() ? "plain" : to_string(content[0]));
    expect_derivatives(system, PointTarget(body, {0.2, 0.05, 0.1}, {0.3, 0.2, 0.1}, 2.0));
    expect_derivatives(system, PoseTarget(body, target, 0.2, 2.0, Moments::end()));
    expect_derivatives(system, CoordinateTarget(0, CoordinateTarget::Of::value, 0.4, 3.0));
    expect_derivatives(system, CoordinateTarget(1, CoordinateTarget::Of::rate, 0.4, 3.0));
    for (const EnergyTarget::Of of :
         {EnergyTarget::Of::kinetic, EnergyTarget::Of::potential, EnergyTarget::Of::total})
      expect_derivatives(system, EnergyTarget(of, 0.4, 3.0, Moments::end()));
    if (!content.empty() && content[0] == Feature::dependent_coordinates) {
      EXPECT_NE(test::message_of([&] {
                  PointVelocityTarget(system, body, Vec3::Zero(), Vec3::Zero(), 1.0,
                                      Moments::end());
                }),
                "");
      continue;
    }
    expect_derivatives(system, PointVelocityTarget(system, body, {0.2, 0.05, 0.1}, {0.3, 0.2, 0.1},
                                                   2.0, Moments::end()));
    expect_derivatives(
        system, LandingTarget(system, body, {0.2, 0.05, 0.1}, {0.3, -5, 0.1}, 2.0, Moments::end()));
  }
}

TEST(Objectives, FollowAThrowToTheGround) {
  // A ball at 2 m that leaves with 3 m/s forwards and 4 m/s upwards.
  BodySpec ball;
  ball.name = "ball";
  ball.joint = Translational{};
  ball.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), 0.1 * Mat3::Identity());
  ball.q0 = {0, 2, 0};
  ball.qdot0 = {3, 4, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(ball).build());
  builder.set_gravity(Vec3(0, -10, 0));
  const System system = builder.build();
  Workspace ws(system);
  const LandingTarget landing(system, BodyIndex(0), Vec3::Zero(), Vec3(1, 0.5, -2), 1.0,
                              Moments::end());
  // y = 2 + 4 t − 5 t² = 0.5 at t = 0.4 + √0.46.
  const VecX missing = landing.residual({system, system.default_state(), 1, 1, 0.1, ws});
  EXPECT_LT((missing - Vec3(3 * (0.4 + std::sqrt(0.46)) - 1, 0, 2)).norm(), 1e-14);
}

TEST(Objectives, CountTheMomentsThatTheyAreMadeFor) {
  const System system = test::system_with({});
  Workspace ws(system);
  const State state = system.default_state();
  const auto factors = [&](const Moments& when) {
    std::vector<double> out;
    for (int k = 0; k <= 4; ++k) out.push_back(when.factor({system, state, k, 4, 0.5, ws}));
    return out;
  };
  using Factors = std::vector<double>;
  EXPECT_EQ(factors(Moments::end()), (Factors{0, 0, 0, 0, 1}));
  EXPECT_EQ(factors(Moments::steps()), (Factors{0, 0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(factors(Moments::states({0, 3})), (Factors{1, 0, 0, 1, 0}));
  EXPECT_EQ(Moments::steps().total(4, 0.5), 2);
  EXPECT_EQ(Moments::states({0, 3}).total(4, 0.5), 2);
}

}  // namespace objectives_test
}  // namespace sinew
