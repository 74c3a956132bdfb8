#include "sinew/analysis/path_jumps.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/builder/system_builder.hpp"
#include "support/audited_run.hpp"
#include "support/hill_examples.hpp"

/// Paths whose length jumps: a muscle from the ceiling to a rod, by a point that it only has while
/// the rod is turned forwards, or across a roll that it touches in passing.

namespace sinew {
namespace path_jumps_test {

OpenSimPathPoint at(BodyIndex body, const Vec3& x_B) {
  OpenSimPathPoint point;
  point.body = body;
  point.x_B = x_B;
  return point;
}

constexpr double kSlack = 1e-5;  // slack of the limits of conditional points

/// `aside`: how far the conditional point is off the muscle's line [m]; with a roll in place of it.
System pendulum(double aside, double roll = 0) {
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute{Vec3::UnitZ()};
  rod.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), Vec3(0.01, 0.001, 0.01).asDiagonal());
  rod.q0 = {-0.3};
  SystemBuilder builder(SkeletonBuilder().add_body(rod).build());
  OpenSimPath path{
      "m", {at(kWorld, Vec3(0.02, 0.25, 0)), at(BodyIndex(0), Vec3(0.02, -0.1, 0))}, {}};
  if (aside > 0) {
    OpenSimPathPoint point = at(kWorld, Vec3(0.02 + aside, 0.1, 0));
    point.condition = DofIndex(0);
    point.lower = 0;
    point.upper = 1;
    path.points.insert(path.points.begin() + 1, point);
  }
  if (roll > 0) {
    auto cylinder = std::make_shared<PathSurface>();
    cylinder->name = "roll";
    cylinder->wrap = CylinderWrap{.radius = roll, .half_length = 0.5};
    path.surfaces = {{cylinder, 0, 1}};
  }
  return builder.add_muscle(test::on_opensim_path(path, test::flexor(0.1))).build();
}

VecX one(double x) { return VecX::Constant(1, x); }

PathJump advance(const System& system, PathWatch& watch, const At& at, Workspace& ws) {
  std::vector<MusclePath> paths;
  update_muscle_paths(system, at, ws, paths);
  return watch.advance(at, paths, ws);
}

/// By how much the length changes where the point joins.
double expected_jump(const System& system) {
  Workspace ws(system);
  std::vector<MusclePath> before, after;
  update_muscle_paths(system, {0, one(-kSlack - 1e-9), one(0)}, ws, before);
  update_muscle_paths(system, {0, one(-kSlack + 1e-9), one(0)}, ws, after);
  return after[0].length - before[0].length;
}

TEST(PathWatch, FindsAJumpAndItsSize) {
  const System system = pendulum(0.03);
  Workspace ws(system);
  PathWatch watch(system);
  const double h = 1e-2, speed = 10;
  EXPECT_EQ(advance(system, watch, {0, one(-0.15), one(speed)}, ws).muscle, -1)
      << "nothing to compare with";
  EXPECT_EQ(advance(system, watch, {h, one(-0.05), one(speed)}, ws).muscle, -1);
  const PathJump jump = advance(system, watch, {2 * h, one(0.05), one(speed)}, ws);
  EXPECT_EQ(jump.muscle, 0);
  const double expected = expected_jump(system);
  EXPECT_GT(expected, PathWatch::kTolerance);
  // The way was halved forty times.
  EXPECT_NEAR(jump.change, expected, 1e-8);
  EXPECT_EQ(advance(system, watch, {3 * h, one(0.15), one(speed)}, ws).muscle, -1);
  EXPECT_NE(describe(system, jump).find("muscle 'm' jumps by +"), std::string::npos);
}

TEST(PathWatch, FastChangesAndTouchDownAreNoJumps) {
  for (const System& system : {pendulum(0), pendulum(0, 0.06)}) {
    Workspace ws(system);
    PathWatch watch(system);
    // Steps so long that lengths change by centimetres between them, more than their rates tell.
    for (int k = 0; k < 20; ++k)
      EXPECT_EQ(advance(system, watch, {0.1 * k, one(-1.5 + 0.15 * k), one(1.5)}, ws).muscle, -1)
          << k;
  }
}

TEST(PathWatch, IsToldAheadOfAStepAndBesideIt) {
  const System system = pendulum(0.03);
  Workspace ws(system);
  State state = system.default_state();
  state.q = one(-0.01);
  state.qdot = one(1);
  EXPECT_EQ(find_path_jump(system, state, 0.002, ws).muscle, -1);
  const PathJump jump = find_path_jump(system, state, 0.02, ws);
  EXPECT_EQ(jump.muscle, 0);
  EXPECT_NEAR(jump.change, expected_jump(system), 1e-8);
  // At rest beside it.
  state.q = one(-kSlack - 1e-3);
  state.qdot = one(0);
  EXPECT_EQ(find_path_jump(system, state, 0.02, ws).muscle, 0);
}

TEST(MusclesInsideSurfaces, AreNamedWhicheverWayTheyWrap) {
  const auto named = [](const System& system) {
    Workspace ws(system);
    return muscles_inside_surfaces(system, system.default_state(), ws);
  };
  EXPECT_TRUE(named(pendulum(0, 0.06)).empty());
  EXPECT_EQ(named(pendulum(0, 0.15)), std::vector<std::string>{"m"});  // its end is 0.1 m away

  const auto spanned = [](double radius) {
    Muscle muscle;
    muscle.name = "smooth";
    muscle.points = {PathPoint::Fixed(kWorld, Vec3(0.02, 0.25, 0)),
                     PathPoint::Fixed(BodyIndex(0), Vec3(0.02, -0.1, 0))};
    muscle.spans = {PathSpan{.body = kWorld, .E_BS = {}, .wrap = CylinderWrap{.radius = radius}}};
    const System massless = pendulum(0);
    return SystemBuilder(massless.skeleton()).add_muscle(muscle).build();
  };
  EXPECT_TRUE(named(spanned(0.06)).empty());
  EXPECT_EQ(named(spanned(0.15)), std::vector<std::string>{"smooth"});
}

TEST(PathWatch, AJumpFailsTheAuditWithMuscleAndTime) {
  const auto audit_of = [](double aside) {
    return test::audited_run(
        pendulum(aside),
        {.step = {.integrator = Integrator::linearly_implicit_euler}, .dt = 1e-3, .until = 0.5});
  };
  EXPECT_TRUE(audit_of(0).passed) << audit_of(0).verdict;
  const AuditReport jumped = audit_of(0.03);
  EXPECT_FALSE(jumped.passed);
  EXPECT_EQ(jumped.jumped_muscle, "m");
  EXPECT_GT(jumped.path_jumps, 0);
  EXPECT_GT(jumped.jump_time, 0);
  EXPECT_NEAR(jumped.jump, expected_jump(pendulum(0.03)), 1e-8);
  EXPECT_NE(jumped.verdict.find("the path of muscle 'm' jumps by"), std::string::npos);
  EXPECT_FALSE(jumped.remedy.empty());
}

}  // namespace path_jumps_test
}  // namespace sinew
