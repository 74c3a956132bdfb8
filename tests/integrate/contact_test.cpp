#include <gtest/gtest.h>

#include <cmath>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "support/allocation_guard.hpp"

namespace sinew {
namespace contact_test {

using test::ContactRun;
using test::kGravity;
using test::surface;

class Contacts : public ::testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Both, Contacts,
                         ::testing::Values(Integrator::semi_implicit_euler,
                                           Integrator::linearly_implicit_euler, Integrator::bdf1),
                         [](const auto& s) { return test::test_name(s.param); });

/// A box on a slope, its bottom on the plane.
System box_on_slope(double slope, double heading, double friction, double turn = 0.3,
                    Vec3 velocity = Vec3::Zero(), bool ground_first = true) {
  const ContactSurface ground = test::slope_ground(slope, heading, friction);
  const Cuboid box{Vec3(0.4, 0.2, 0.3)};
  BodySpec spec;
  spec.name = "box";
  spec.joint = Free3D(Free3D::Order::translation_first);
  spec.E_PJ.R = ground.E_BS.R * Eigen::AngleAxisd(turn, Vec3::UnitY()).toRotationMatrix();
  spec.E_PJ.p = ground.E_BS.R * Vec3(0, 0.1, 0);
  spec.M_B = box.inertia(500);
  // Free3D's velocity is in the axes of its frame, here those of the slope.
  const Vec3 v = spec.E_PJ.R.transpose() * velocity;
  spec.qdot0 = {v[0], v[1], v[2], 0, 0, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  if (ground_first) builder.add_contact(ground);
  builder.add_contact(surface("box", BodyIndex(0), box, friction));
  if (!ground_first) builder.add_contact(ground);
  return builder.build();
}

TEST_P(Contacts, ABoxSticksAndSlidesAtTheAngleOfFriction) {
  for (const double mu : {0.2, 0.5, 0.9})
    for (const double heading : {0.0, 0.4, M_PI / 4, 1.3}) {
      const double limit = std::atan(mu);
      const auto moves = [&](double slope) {
        ContactRun run(box_on_slope(slope, heading, mu), 2e-3, GetParam());
        run.run(0.05);
        EXPECT_LE(run.worst_residual, 1e-10);
        return run.state.qdot.norm();
      };
      // A hundredth of the required tenth of a degree.
      EXPECT_LT(moves(limit - 1.7e-5), 1e-9) << mu << ' ' << heading;
      EXPECT_GT(moves(limit + 1.7e-5), 1e-6) << mu << ' ' << heading;
    }
}

TEST_P(Contacts, ASlidingBoxLosesMuNPerMetre) {
  // On level ground, in a direction that is not an axis.
  const double mu = 0.3, m = 500 * 0.4 * 0.2 * 0.3;
  const Vec3 v0(1.2, 0, 0.7);
  ContactRun run(box_on_slope(0, 0, mu, 0.3, v0), 1e-3, GetParam());
  double path = 0;
  const double start = run.kinetic();
  for (int k = 0; k < 300; ++k) {
    const double before = run.state.qdot.norm();
    run.step();
    path += 0.5 * (before + run.state.qdot.norm()) * run.h;  // trapezoidal: exact for this motion
  }
  EXPECT_NEAR(run.state.qdot.norm(), v0.norm() - mu * kGravity * 0.3, 1e-10);
  EXPECT_NEAR(start - run.kinetic(), mu * m * kGravity * path, 1e-10 * start);
  EXPECT_NEAR(run.work, run.kinetic() - start, 1e-10 * start);
  // Straight on: the cone has no preferred direction.
  EXPECT_NEAR(run.state.qdot.head<3>().normalized().dot(
                  run.system.default_state().qdot.head<3>().normalized()),
              1, 1e-12);
  run.run(1);
  EXPECT_LT(run.state.qdot.norm(), 1e-10);
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_LE(run.worst_error, 1e-9);
}

System ball_on_slope(double slope, double friction, double v0) {
  const ContactSurface ground = test::slope_ground(slope, 0, friction);
  BodySpec spec = test::free_body("ball", Sphere{0.1}, {});
  spec.E_PJ.R = ground.E_BS.R;
  spec.E_PJ.p = ground.E_BS.R * Vec3(0, 0.1, 0);
  spec.qdot0 = {0, 0, v0, 0, 0, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.add_contact(ground).add_contact(surface("ball", BodyIndex(0), Sphere{0.1}, friction));
  return builder.build();
}

TEST_P(Contacts, ABallRollsDownASlopeWithFiveSeventhsOfTheAcceleration) {
  const double slope = 0.3;
  ContactRun run(ball_on_slope(slope, 0.8, 0), 1e-3, GetParam());
  run.run(0.5);
  // A plane's normal does not turn, the mass matrix is constant: Euler's velocities are exact.
  EXPECT_NEAR(std::abs(run.state.qdot[2]), 5.0 / 7 * kGravity * std::sin(slope) * 0.5, 1e-9);
  EXPECT_LE(run.worst_residual, 1e-10);
}

TEST_P(Contacts, ASlidingBallEndsRollingWithFiveSeventhsOfItsSpeed) {
  ContactRun run(ball_on_slope(0, 0.2, 2), 1e-3, GetParam());
  run.run(0.5);
  EXPECT_NEAR(run.state.qdot[2], 2 * 5.0 / 7, 1e-9);
  EXPECT_LE(run.worst_residual, 1e-10);
}

TEST_P(Contacts, ABallBouncesToESquaredOfItsHeight) {
  for (const double e : {0.5, 0.9, 1.0}) {
    BodySpec spec = test::free_body("ball", Sphere{0.1}, Pose::Translation(Vec3(0, 1.1, 0)));
    SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
    builder.add_contact(test::slope_ground(0, 0, 0, 0))
        .add_contact(surface("ball", BodyIndex(0), Sphere{0.1}, 0, e));
    ContactRun run(builder.build(), 1e-4, GetParam());
    std::vector<double> tops;
    for (int k = 0; k < 30000 && tops.size() < 3; ++k) {
      const double before = run.state.qdot[1];
      ASSERT_EQ(run.step().status, StepStatus::ok);
      if (before > 0 && run.state.qdot[1] <= 0) tops.push_back(1 + run.state.q[1]);
    }
    ASSERT_EQ(tops.size(), 3u);
    double expected = 1;
    for (const double top : tops) {
      expected *= e * e;
      // The impact comes up to a step early: v h = 4e-4 m each time.
      EXPECT_NEAR(top, expected, 2e-3) << e;
    }
  }
}

System stack(int count, double offset = 0) {
  SkeletonBuilder skeleton;
  for (int i = 0; i < count; ++i)
    skeleton.add_body(test::free_body("box" + std::to_string(i), Cuboid{Vec3(0.2, 0.1, 0.2)},
                                      Pose::Translation(Vec3(offset * i, 0.05 + 0.1 * i, 0))));
  SystemBuilder builder(skeleton.build());
  builder.add_contact(test::slope_ground(0, 0, 0.5));
  for (int i = 0; i < count; ++i)
    builder.add_contact(
        surface("box" + std::to_string(i), BodyIndex(i), Cuboid{Vec3(0.2, 0.1, 0.2)}, 0.5));
  return builder.build();
}

TEST_P(Contacts, AStackAtRestStaysAtRest) {
  ContactRun run(stack(5, 0.01), 2e-3, GetParam());
  const State start = run.state;
  run.run(1);
  EXPECT_LE((run.state.q - start.q).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LE(run.state.qdot.lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_LE(run.worst_error, 1e-9);
}

TEST_P(Contacts, ForcesCarryABoxThatRestsOnASlope) {
  for (const bool ground_first : {true, false}) {
    ContactRun run(box_on_slope(0.2, 0.7, 0.5, 0.3, Vec3::Zero(), ground_first), 0.005, GetParam());
    run.run(0.05);
    update_kinematics(run.system, run.state, run.ws);
    const Pose box = body_pose(run.system.skeleton(), run.ws.skeleton, BodyIndex(0));
    run.step();
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (const ContactForce& contact : run.ws.unilateral.forces) {
      const bool on_box = contact.surfaces.a == (ground_first ? 1 : 0);
      const Vec3 f = on_box ? contact.f : Vec3(-contact.f);
      EXPECT_GT(f.dot(box.R.col(1)), 0);
      sum += f;
      torque += (contact.x - box.p).cross(f);
    }
    const double weight = run.system.skeleton().body(BodyIndex(0)).M_B.mass * kGravity;
    EXPECT_LT((sum - Vec3(0, weight, 0)).norm(), 1e-8 * weight);
    EXPECT_LT(torque.norm(), 1e-8 * weight);
  }
}

TEST_P(Contacts, RedundantContactsDoNotChangeTheMotion) {
  // A box's eight vertices (of which four touch), or the same vertices given several times over.
  const Vec3 v0(0.8, 0, 0.5);
  const auto speed = [&](int copies) {
    const System plain = box_on_slope(0.2, 0.5, 0.3, 0.3, v0);
    SystemBuilder builder(plain.skeleton());
    builder.add_contact(test::slope_ground(0.2, 0.5, 0.3));
    std::vector<Vec3> corners;
    for (int c = 0; c < copies; ++c)
      for (const double x : {-0.2, 0.2})
        for (const double z : {-0.15, 0.15}) corners.emplace_back(x, -0.1, z);
    builder.add_contact(surface("box", BodyIndex(0), MeshVertices{corners}, 0.3));
    ContactRun run(builder.build(), 1e-3, GetParam());
    run.run(0.2);
    EXPECT_LE(run.worst_residual, 1e-10);
    return VecX(run.state.qdot);
  };
  const VecX once = speed(1);
  EXPECT_GT(once.norm(), 0.1);
  for (const int copies : {2, 3}) EXPECT_LE((speed(copies) - once).norm(), 1e-8) << copies;
}

TEST_P(Contacts, TwoFreeBodiesKeepTheirMomentum) {
  // Two balls, one spinning, collide off centre without gravity. Their mass matrices are constant,
  // so that momentum is exact.
  SkeletonBuilder skeleton;
  BodySpec a = test::free_body("a", Sphere{0.1}, Pose::Translation(Vec3(-0.3, 0, 0)));
  BodySpec b = test::free_body("b", Sphere{0.15}, Pose::Translation(Vec3(0.1, 0.1, 0.05)));
  a.qdot0 = {3, 0, 0, 0, 20, 5};
  b.qdot0 = {0, 0, 0, 0, 0, 0};
  skeleton.add_body(a).add_body(b);
  SystemBuilder builder(skeleton.build());
  builder.set_gravity(Vec3::Zero())
      .add_contact(surface("a", BodyIndex(0), Sphere{0.1}, 0.4, 0.6))
      .add_contact(surface("b", BodyIndex(1), Sphere{0.15}, 0.4));
  ContactRun run(builder.build(), 1e-3, Integrator::semi_implicit_euler);
  const auto momentum = [&] {
    update_kinematics(run.system.skeleton(), run.state.q, run.state.qdot, run.ws.skeleton);
    Vec3 p = Vec3::Zero(), L = Vec3::Zero();
    for (int k = 0; k < 2; ++k) {
      const Body& body = run.system.skeleton().body(BodyIndex(k));
      const Pose E = body_pose(run.system.skeleton(), run.ws.skeleton, BodyIndex(k));
      const Vec6 phi = body_twist(run.system.skeleton(), run.ws.skeleton, BodyIndex(k));
      const double m = body.M_B.mass;
      const double I = 0.4 * m * std::pow(k == 0 ? 0.1 : 0.15, 2);
      const Vec3 v = E.R * phi.tail<3>();
      p += m * v;
      L += m * E.p.cross(v) + I * (E.R * phi.head<3>());
    }
    return std::make_pair(p, L);
  };
  const auto [p0, L0] = momentum();
  const double kinetic = run.kinetic();
  run.run(0.3);
  const auto [p1, L1] = momentum();
  EXPECT_LE((p1 - p0).norm(), 1e-12 * p0.norm());
  // The exponential coordinates of fast spin are integrated to first order; without the collision
  // L drifts as much.
  EXPECT_LE((L1 - L0).norm(), 2e-2 * L0.norm());
  EXPECT_LT(run.kinetic(), 0.99 * kinetic);
  EXPECT_GT(run.state.qdot[6], 0.1);
}

System heap(unsigned seed) {
  // A few boxes, balls and capsules over a slope.
  SkeletonBuilder skeleton;
  std::vector<ContactShape> shapes = {Sphere{0.12}, Cuboid{Vec3(0.3, 0.2, 0.25)}, Sphere{0.08},
                                      Cuboid{Vec3(0.2, 0.2, 0.2)}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    Pose E = Pose::Translation(Vec3(0.05 * std::sin(1.0 + seed + static_cast<double>(i)),
                                    0.5 + 0.4 * static_cast<double>(i),
                                    0.05 * std::cos(2.0 * seed + static_cast<double>(i))));
    E.R = Eigen::AngleAxisd(0.3 * seed + static_cast<double>(i), Vec3(1, 2, 3).normalized())
              .toRotationMatrix();
    skeleton.add_body(test::free_body("b" + std::to_string(i), shapes[i], E));
  }
  SystemBuilder builder(skeleton.build());
  builder.add_contact(test::slope_ground(0.1, 0.7, 0.6));
  for (size_t i = 0; i < shapes.size(); ++i)
    builder.add_contact(surface("b" + std::to_string(i), BodyIndex(static_cast<int>(i)), shapes[i],
                                0.5, i % 2 ? 0.0 : 0.3));
  return builder.build();
}

TEST_P(Contacts, AHeapFallsAndGainsNoEnergy) {
  ContactRun run(heap(1), 1e-3, GetParam());
  double before = run.energy();
  const double start = before;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(run.step().status, StepStatus::ok) << k;
    const double now = run.energy();
    before = now;
  }
  EXPECT_LT(before, 0.5 * start);
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_LE(run.worst_error, 1e-9);
}

TEST_P(Contacts, ANewWorkspaceChangesNoBit) {
  ContactRun kept(heap(2), 2e-3, GetParam());
  State state = kept.state;
  for (int k = 0; k < 300; ++k) {
    Workspace ws(kept.system);
    ASSERT_EQ(kept.step().status, StepStatus::ok);
    ASSERT_EQ(step(kept.system, kept.options, kept.h, state, ws).status, StepStatus::ok);
    ASSERT_EQ(state, kept.state) << k;
  }
}

TEST_P(Contacts, ConstantSetsOfContactsAllocateNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  for (const bool slides : {false, true}) {
    ContactRun run(slides ? box_on_slope(0.3, 0.5, 0.1) : stack(3), 1e-3, GetParam());
    run.run(0.01);
    const test::AllocationGuard guard;
    for (int k = 0; k < 10; ++k) sinew::step(run.system, run.options, run.h, run.state, run.ws);
    EXPECT_EQ(guard.count(), 0) << slides;
  }
}

}  // namespace contact_test
}  // namespace sinew
