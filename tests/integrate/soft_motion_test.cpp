#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/soft_momentum.hpp"
#include "support/soft_systems.hpp"

// Skeletons and soft bodies moving together.

namespace sinew {
namespace soft_motion_test {

constexpr Integrator kImplicit[] = {Integrator::linearly_implicit_euler, Integrator::bdf1,
                                    Integrator::sdirk2, Integrator::bdf2};

/// A rod on a hinge with a block of soft material at its end; the block's vertices near the rod are
/// attached.
struct Rod {
  Skeleton skeleton;
  SoftBodySpec block;

  explicit Rod(double young, MaterialModel model = MaterialModel::corotated) {
    BodySpec rod;
    rod.name = "rod";
    rod.joint = Revolute{Vec3::UnitZ()};
    rod.q0 = {0.4};
    rod.M_B = SpatialInertia::FromCentral(1, {0.3, 0, 0}, 0.02 * Mat3::Identity());
    skeleton = SkeletonBuilder().add_body(rod).build();
    block = test::soft_block({0.5, -0.1, -0.15}, model, young);
    const Mat3 R = Eigen::AngleAxisd(0.4, Vec3::UnitZ()).toRotationMatrix();
    for (size_t v = 0; v < block.mesh.vertices.size(); ++v) {
      const Vec3 x_B = block.mesh.vertices[v];
      if (x_B.x() < 0.51) block.attachments.push_back({static_cast<int>(v), BodyIndex(0), x_B});
      block.mesh.vertices[v] = R * x_B;
    }
  }
  System build() const {
    SystemBuilder builder(skeleton);
    builder.add_soft_body(block);
    return builder.build();
  }
  /// The block welded to the rod: all its vertices attached.
  System build_rigid() const {
    Rod all = *this;
    const Mat3 R = Eigen::AngleAxisd(0.4, Vec3::UnitZ()).toRotationMatrix();
    all.block.attachments.clear();
    for (size_t v = 0; v < block.mesh.vertices.size(); ++v)
      all.block.attachments.push_back(
          {static_cast<int>(v), BodyIndex(0), R.transpose() * block.mesh.vertices[v]});
    return all.build();
  }
};

State run(const System& system, Integrator integrator, double h, double until,
          double tolerance = 1e-12) {
  StepOptions options;
  options.integrator = integrator;
  options.newton_tolerance = tolerance;
  State state = system.default_state();
  Workspace ws(system);
  const auto steps = static_cast<int>(std::lround(until / h));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = step(system, options, h, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok)
        << to_string(integrator) << " at t = " << state.t << " residual " << report.newton_residual;
    if (report.status != StepStatus::ok) break;
  }
  return state;
}

TEST(SoftMotion, MomentumIsConservedWhenFloatingFree) {
  for (const MaterialModel model : {MaterialModel::corotated, MaterialModel::neo_hookean}) {
    const System system = test::floating_soft_system(3, 4, model, 2, false);
    State state = system.default_state();
    test::Random random(6);
    state.qdot = random.vecx(system.dof_count(), 0.3);
    const State start = state;
    Workspace ws(system);
    const Vec6 before = test::soft_momentum(system, state, ws);
    StepOptions options;
    options.integrator = Integrator::dopri5;
    options.relative_tolerance = options.absolute_tolerance = 1e-10;
    SimulationSettings settings;
    settings.step = options;
    settings.until = 0.5;
    ASSERT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
    // Both, to the integrator's tolerance.
    EXPECT_LT((test::soft_momentum(system, state, ws) - before).norm(), 1e-8 * before.norm());
    // Implicit: with the order of the method, here two.
    double last = 0;
    for (const double h : {0.01, 0.005}) {
      state = start;
      options.integrator = Integrator::sdirk2;
      for (int k = 0; k < std::lround(0.2 / h); ++k)
        ASSERT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
      const double drift = (test::soft_momentum(system, state, ws) - before).norm() / before.norm();
      EXPECT_LT(drift, 2e-2);
      EXPECT_GT(last / drift, last > 0 ? 2.8 : -1);
      last = drift;
    }
  }
}

TEST(SoftMotion, AFreeBlockKeepsItsLinearMomentumToRoundingWithEveryImplicitMethod) {
  // Without joints in the way momentum is linear in q̇, and every method keeps it: forces come in
  // pairs.
  Rod rod(1e3);
  rod.block.attachments.clear();
  test::Random random(5);
  for (size_t v = 0; v < rod.block.mesh.vertices.size(); ++v)
    rod.block.start_velocity.push_back(random.vec3(0.5));
  SystemBuilder builder(rod.skeleton);
  builder.set_gravity(Vec3::Zero());
  builder.add_soft_body(rod.block);
  const System system = builder.build();
  Workspace ws(system);
  const Vec3 before = test::soft_momentum(system, system.default_state(), ws).tail<3>();
  for (const Integrator integrator : kImplicit) {
    const State end = run(system, integrator, 0.01, 0.5);
    EXPECT_LT((test::soft_momentum(system, end, ws).tail<3>() - before).norm(),
              1e-11 * before.norm())
        << to_string(integrator);
  }
}

TEST(SoftMotion, ImplicitMethodsConvergeToTheSameMotionWithTheirOrders) {
  Rod rod(4e3);
  rod.block.material.viscosity = 20;
  const System system = rod.build();
  const State truth = run(system, Integrator::rk4, 1e-4, 0.2);
  for (const Integrator integrator : kImplicit) {
    const double order =
        integrator == Integrator::linearly_implicit_euler || integrator == Integrator::bdf1 ? 1 : 2;
    const double e1 = (run(system, integrator, 4e-3, 0.2).q - truth.q).norm();
    const double e2 = (run(system, integrator, 2e-3, 0.2).q - truth.q).norm();
    EXPECT_GT(std::log2(e1 / e2), order - 0.25) << to_string(integrator) << " " << e1 << " " << e2;
    EXPECT_LT(e2, order == 1 ? 0.05 : 0.01) << to_string(integrator);
  }
}

TEST(SoftMotion, AStiffBlockApproachesTheWeldedOneLikeOneOverItsStiffness) {
  // Sagging, and all that follows from it, is proportional to 1/E; implicit Euler damps the
  // vibrations of so stiff a block away. What a step makes of a vertex that goes round in a circle
  // is O(h), whatever the stiffness.
  const double until = 0.4;
  const auto angle = [&](const System& system, double h) {
    return run(system, Integrator::bdf1, h, until).q[0];
  };
  const auto gap = [&](double young, double h) {
    return angle(Rod(young).build(), h) - angle(Rod(young).build_rigid(), h);
  };
  const double h = 2e-3, g6 = gap(1e6, h), g7 = gap(1e7, h), g8 = gap(1e8, h);
  EXPECT_NEAR((g6 - g7) / (g7 - g8), 10, 0.5);  // measured 9.98
  EXPECT_NEAR(g8 / gap(1e8, h / 2), 2, 0.1);
  EXPECT_LT(std::abs(g8), 3e-3);
}

TEST(SoftMotion, WithoutStiffnessTheSkeletonMovesAsIfAlone) {
  Rod rod(1e-9);
  const System soft = rod.build();
  // The same skeleton with only the vertices attached to it.
  const System alone = SystemBuilder(soft.skeleton()).build();
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::linearly_implicit_euler, Integrator::bdf1, Integrator::sdirk2,
        Integrator::bdf2, Integrator::semi_implicit_euler}) {
    const State a = run(soft, integrator, 5e-3, 0.3), b = run(alone, integrator, 5e-3, 0.3);
    // Forces of 1e-9 Pa on centimetres, for a fraction of a second.
    EXPECT_NEAR(a.q[0], b.q[0], 1e-11) << to_string(integrator);
    // Free vertices fall: ½ g t² up to the order of the method.
    EXPECT_NEAR(a.q[2] - soft.default_state().q[2], -0.5 * 9.80665 * 0.09, 0.01);
  }
}

TEST(SoftMotion, InvertedElementsRecoverWithStableNeoHookean) {
  SoftBodySpec spec = test::soft_block({0, 0, 0}, MaterialModel::neo_hookean, 1e4);
  spec.mesh = test::block_mesh(2, 2, 2, {0.2, 0.2, 0.2});
  spec.material.viscosity = 30;
  for (int v = 0; v < 9; ++v) spec.attachments.push_back({v, kWorld, spec.mesh.vertices[v]});
  // Vertices anywhere at all, and the whole turned inside out.
  test::Random random(12);
  for (const bool inside_out : {false, true}) {
    spec.start.clear();
    for (const Vec3& x : spec.mesh.vertices)
      spec.start.push_back(inside_out ? Vec3(x.x(), x.y(), -x.z()) : random.vec3(0.2));
    BodySpec bystander;
    bystander.name = "bystander";
    bystander.joint = Revolute{Vec3::UnitZ()};
    bystander.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
    SystemBuilder builder(SkeletonBuilder().add_body(bystander).build());
    builder.set_gravity(Vec3::Zero());
    builder.add_soft_body(spec);
    const System system = builder.build();
    const State end = run(system, Integrator::bdf1, 5e-3, 2);
    Workspace ws(system);
    Points x;
    vertex_positions(system, end, 0, ws, x);
    // Back to rest, every vertex.
    EXPECT_LT((x - test::positions(spec.mesh)).lpNorm<Eigen::Infinity>(), 1e-3) << inside_out;
  }
}

TEST(SoftMotion, AStepAllocatesNothingAndNeedsNoOldWorkspace) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system =
      test::floating_soft_system(3, 4, MaterialModel::corotated, 2, true, {0, -9, 0});
  for (const Integrator integrator : kImplicit) {
    StepOptions options;
    options.integrator = integrator;
    State state = system.default_state();
    Workspace ws(system);
    for (int k = 0; k < 3; ++k) step(system, options, 2e-3, state, ws);
    State copy = state;
    {
      test::AllocationGuard guard;
      ASSERT_EQ(step(system, options, 2e-3, state, ws).status, StepStatus::ok);
      EXPECT_EQ(guard.count(), 0) << to_string(integrator);
    }
    Workspace fresh(system);
    step(system, options, 2e-3, copy, fresh);
    EXPECT_EQ(hash(copy), hash(state)) << to_string(integrator);
  }
}

}  // namespace soft_motion_test
}  // namespace sinew
