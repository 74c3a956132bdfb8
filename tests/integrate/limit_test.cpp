#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace limit_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Limits : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Both, Limits,
                         testing::Values(Integrator::semi_implicit_euler,
                                         Integrator::linearly_implicit_euler, Integrator::bdf1),
                         [](const auto& s) { return test::test_name(s.param); });

/// Two bars that fall about z from the horizontal; the second cannot turn beyond ±0.5 rad.
System limited_pendulum(double restitution = 0) {
  const Revolute z{Vec3::UnitZ()};
  SystemBuilder builder(SkeletonBuilder()
                            .add_body(test::bar("a", "", 0.4, 1, z, Vec3::Zero()))
                            .add_body(test::bar("b", "a", 0.3, 0.5, z, Vec3(0.4, 0, 0)))
                            .build());
  builder.add_limit(coordinate_limit("elbow", DofIndex(1), -0.5, 0.5, restitution));
  return builder.build();
}

TEST_P(Limits, HoldAJointToRoundingForTenSeconds) {
  test::ContactRun run(limited_pendulum(), 1e-3, GetParam());
  const double start = run.energy();
  int at_limit = 0;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_EQ(run.step().status, StepStatus::ok);
    // The projection aims at 1e-12.
    ASSERT_LE(std::abs(run.state.q[1]), 0.5 + 1e-12);
    at_limit += std::abs(run.state.q[1]) > 0.5 - 1e-9;
  }
  EXPECT_GT(at_limit, 100);
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_LE(run.worst_error, 1e-12);
  // Impacts without restitution take energy; Euler's error at this step is below 1 % of what falls.
  EXPECT_LT(run.energy(), start + 0.01 * 1.5 * test::kGravity * 0.4);
}

TEST_P(Limits, AStopReflectsAPendulumWithItsRestitution) {
  // One bar released from the horizontal meets a stop when it hangs: the swing back has e² of the
  // height.
  for (const double e : {0.0, 0.5, 0.8, 1.0}) {
    SystemBuilder builder(
        SkeletonBuilder()
            .add_body(test::bar("a", "", 0.4, 1, Revolute{Vec3::UnitZ()}, Vec3::Zero()))
            .build());
    builder.add_limit(coordinate_limit("stop", DofIndex(0), -std::numbers::pi / 2, kInfinity, e));
    test::ContactRun run(builder.build(), 1e-4, GetParam());
    double highest = -2;
    bool hit = false;
    for (int k = 0; k < 12000; ++k) {
      const double before = run.state.qdot[0];
      ASSERT_EQ(run.step().status, StepStatus::ok);
      if (before < -1 && run.state.qdot[0] > -1e-9) {
        hit = true;
      }
      if (hit) highest = std::max(highest, std::sin(run.state.q[0]));
      if (hit && before > 0 && run.state.qdot[0] <= 0) break;
    }
    ASSERT_TRUE(hit);
    // The impact is up to a step early, and Euler's energy errors are of the order of h.
    EXPECT_NEAR(highest + 1, e * e, 2e-3) << e;
  }
}

TEST_P(Limits, ATautRopePullsWithTheWeightAndTheCentripetalForce) {
  // A point mass on a rope of 1 m, released at 0.8 m beside the anchor: it falls freely until the
  // rope is taut, then swings. At the bottom the tension is m (g + v²/l).
  BodySpec spec;
  spec.name = "bob";
  spec.joint = Translational{};
  spec.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), 1e-4 * Mat3::Identity());
  spec.q0 = {0.8, 0, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.add_limit(rope("rope", kWorld, Vec3::Zero(), BodyIndex(0), Vec3::Zero(), 1));
  test::ContactRun run(builder.build(), 1e-4, GetParam());
  double largest = 0;
  for (int k = 0; k < 20000; ++k) {
    const double before = run.state.q[0];
    const Vec3 v = run.state.qdot;
    ASSERT_EQ(run.step().status, StepStatus::ok);
    const double length = run.state.q.norm();
    largest = std::max(largest, length);
    if (length < 1 - 1e-3) {
      // Free fall.
      ASSERT_NEAR(run.state.qdot[1] - v[1], -test::kGravity * run.h, 1e-12);
    }
    if (before > 0 && run.state.q[0] <= 0) {
      const double impulse = 2 * (run.state.qdot[1] - v[1] + test::kGravity * run.h);
      const double expected = 2 * (test::kGravity + v.squaredNorm()) * run.h;
      EXPECT_NEAR(impulse, expected, 2e-3 * expected);  // O(h): the row is that of the step's start
      EXPECT_GT(v.squaredNorm(), 1);
    }
  }
  EXPECT_LE(largest, 1 + 1e-12);
  EXPECT_GT(largest, 1 - 1e-5);
}

TEST_P(Limits, AndLoopsHoldTogether) {
  // The crank of a four-bar falls until a limit of the rocker's joint stops it.
  test::FourBar linkage;
  SystemBuilder builder = linkage.builder();
  builder.add_limit(coordinate_limit("rocker", DofIndex(2), -1.9, -1.2, 0.3));
  test::ContactRun run(builder.build(), 1e-3, GetParam());
  const double start = run.energy();
  int at_limit = 0;
  double lowest = 0, highest = -10;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(run.step().status, StepStatus::ok);
    lowest = std::min(lowest, run.state.q[2]);
    highest = std::max(highest, run.state.q[2]);
    at_limit += run.state.q[2] < -1.9 + 1e-9 || run.state.q[2] > -1.2 - 1e-9;
  }
  EXPECT_LE(run.worst_error, 1e-9);
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_GT(at_limit, 10) << lowest << ' ' << highest;
  EXPECT_LT(run.energy(), start + 1e-3);
}

TEST_P(Limits, ThatAreNeverMetChangeNoBit) {
  test::ContactRun with(limited_pendulum(), 1e-3, GetParam());
  const System bare = SystemBuilder(with.system.skeleton()).build();
  Workspace ws(bare);
  State state = bare.default_state();
  for (int k = 0; k < 50 && std::abs(state.q[1]) < 0.3; ++k) {
    with.step();
    step(bare, with.options, 1e-3, state, ws);
    ASSERT_EQ(state, with.state);
  }
}

TEST_P(Limits, WorkOfTheImpulsesIsWhatTheEnergyLoses) {
  // A mass on a slider without gravity runs into a stop: the lost energy is reported.
  SystemBuilder builder(test::slider(2, 0, 3));
  builder.set_gravity(Vec3::Zero())
      .add_limit(coordinate_limit("stop", DofIndex(0), -kInfinity, 0.1, 0.25));
  test::ContactRun run(builder.build(), 1e-3, GetParam());
  const double start = run.energy();
  run.run(0.2);
  EXPECT_NEAR(run.state.qdot[0], -0.75, 1e-12);
  EXPECT_NEAR(run.energy() - start, run.work, 1e-12);
}

TEST_P(Limits, DefaultStatesAreBroughtWithin) {
  SystemBuilder builder(test::slider(2, 1, 0));
  builder.add_limit(coordinate_limit("stop", DofIndex(0), -1, 0.25));
  const System system = builder.build();
  EXPECT_NEAR(system.default_state().q[0], 0.25, 1e-12);
  EXPECT_EQ(system.described_state().q[0], 1);
}

TEST(LimitErrors, NameTheLimit) {
  const auto problem = [](const Limit& limit) {
    try {
      SystemBuilder(test::slider(1, 0, 0)).add_limit(limit).build();
    } catch (const Error& e) {
      return e.element() + ": " + e.problem();
    }
    return std::string("none");
  };
  EXPECT_EQ(problem(coordinate_limit("stop", DofIndex(0), 1, -1)),
            "limit 'stop': its bounds are not in order");
  EXPECT_EQ(problem(coordinate_limit("stop", DofIndex(0), -kInfinity, kInfinity)),
            "limit 'stop': has no bound");
  EXPECT_EQ(problem(coordinate_limit("stop", DofIndex(0), 0, 1, 2)),
            "limit 'stop': its restitution is not between 0 and 1");
  EXPECT_THAT(problem(coordinate_limit("stop", DofIndex(7), 0, 1)),
              testing::StartsWith("limit 'stop': "));
}

TEST(LimitErrors, IntegratorsThatCannotSaySo) {
  const System system = limited_pendulum();
  Workspace ws(system);
  State state = system.default_state();
  for (const Integrator integrator : all_integrators()) {
    if (!refusal({.integrator = integrator}, Feature::contacts)) continue;
    try {
      step(system, {.integrator = integrator}, 1e-3, state, ws);
      ADD_FAILURE() << to_string(integrator);
    } catch (const Error& e) {
      EXPECT_EQ(e.element(), "limit 'elbow'");
      EXPECT_THAT(e.remedy(), testing::HasSubstr("linearly-implicit-euler"));
    }
  }
}

TEST(LimitErrors, AStepThatCannotHoldItsLimitsLeavesTheStateAndNamesOne) {
  // A prescribed motion drives the slider through its stop.
  SystemBuilder builder(test::slider(1, 0, 1));
  builder.add_constraint(test::shared(
      PrescribedCoordinate("drive", DofIndex(0), ConstraintLevel::velocity, TimeFunction(1.0))));
  builder.add_limit(coordinate_limit("stop", DofIndex(0), -1, 0.01));
  test::ContactRun run(builder.build(), 1e-3);
  StepReport report;
  State before = run.state;
  for (int k = 0; k < 20 && report.status == StepStatus::ok; ++k) {
    before = run.state;
    report = step(run.system, run.options, run.h, run.state, run.ws);
  }
  EXPECT_EQ(report.status, StepStatus::contact_failed);
  EXPECT_EQ(describe(run.system.unilaterals(), report.worst_source), "limit 'stop'");
  EXPECT_EQ(before, run.state);
  SimulationResult result;
  result.last = report;
  EXPECT_THAT(describe_failure(run.system, result, run.state),
              testing::EndsWith("worst in limit 'stop': no impulses of contacts, limits and "
                                "friction satisfy each other; projection, less friction or a "
                                "shorter step may help"));
}

/// Scene 6 of the reference, in its units.
struct Scene6 {
  Scene6()
      : json(test::reference_scene("redmax/scenes_matlab.json", 6)),
        tree(test::reference_system(json)) {}
  System limited() const {
    SystemBuilder builder(tree.skeleton());
    builder.set_gravity(tree.gravity());
    const auto& limit = json.at("constraints").at(0);
    builder.add_limit(coordinate_limit("limit", DofIndex(1), limit.at("ql"), limit.at("qu")));
    return builder.build();
  }
  nlohmann::json json;
  System tree;
};

/// Runs from a row of the reference's table until it is beyond the upper limit, where it pushes the
/// wrong way (its README). Returns the rows compared.
size_t compare_scene_6(size_t first, bool& lower) {
  const Scene6 scene;
  test::ContactRun run(scene.limited(), scene.json.at("hEuler"));
  run.options.jacobian = StiffnessModel::redmax;
  run.options.projection = false;
  run.options.baumgarte.implicit = scene.json.at("baumgarte").at(2);
  const test::ReferenceTable table = test::reference_csv("redmax/scene_06_itype3.csv");
  const size_t H = table.column("H"), q = table.column("q_j1_1"), qdot = table.column("qd_j1_1");
  double scale = 0;
  for (const auto& row : table.rows) scale = std::max(scale, row[table.column("T")]);
  for (int i = 0; i < 2; ++i) {
    run.state.q[i] = table.rows[first][q + static_cast<size_t>(i)];
    run.state.qdot[i] = table.rows[first][qdot + static_cast<size_t>(i)];
  }
  size_t k = first + 1;
  for (; k < table.rows.size() && table.rows[k - 1][q + 1] < M_PI / 4; ++k) {
    if (run.step().status != StepStatus::ok) break;
    lower |= table.rows[k - 1][q + 1] < -M_PI / 4;
    // The reference's quadratic program is good to six digits.
    EXPECT_NEAR(run.state.q[1], table.rows[k][q + 1], 1e-6) << "row " << k;
    EXPECT_NEAR(run.energy(), table.rows[k][H], 1e-6 * scale) << "row " << k;
  }
  return k - first - 1;
}

TEST(ReferenceScene6, AgreesUntilTheFirstUpperLimit) {
  SINEW_NEEDS_REFERENCE();
  bool lower = false;
  EXPECT_EQ(compare_scene_6(0, lower), 45u);
}

TEST(ReferenceScene6, AgreesAtTheLowerLimitFromTheReferencesOwnState) {
  SINEW_NEEDS_REFERENCE();
  bool lower = false;
  EXPECT_GT(compare_scene_6(80, lower), 20u);
  EXPECT_TRUE(lower);
}

TEST(ReferenceScene6, StaysWithinBothLimits) {
  SINEW_NEEDS_REFERENCE();
  const Scene6 scene;
  test::ContactRun run(scene.limited(), scene.json.at("hEuler"));
  const double start = run.energy();
  bool lower = false, upper = false;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(run.step().status, StepStatus::ok);
    ASSERT_LE(std::abs(run.state.q[1]), M_PI / 4 + 1e-9);
    lower |= run.state.q[1] < -M_PI / 4 + 1e-9;
    upper |= run.state.q[1] > M_PI / 4 - 1e-9;
    ASSERT_LE(run.energy(), start + 1e-9);
  }
  EXPECT_TRUE(lower && upper);
}

}  // namespace limit_test
}  // namespace sinew
