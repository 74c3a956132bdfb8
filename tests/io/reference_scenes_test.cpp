#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/analysis/audit.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// Our scene files against the numbers of the public REDMAX implementation (validation 1.2). The
/// scenes are in its units on file and in SI here; energies are compared in erg, coordinates in cm
/// and rad.

namespace sinew {
namespace reference_scenes_test {

using nlohmann::json;
using test::ReferenceTable;

constexpr double kErg = 1e-7;  // J
constexpr double kCentimetre = 1e-2;

struct ReferenceScene {
  const char* name;  ///< name of Sinew's scene
  int id;            ///< number in the reference
};
void PrintTo(const ReferenceScene& scene, std::ostream* out) { *out << scene.name; }

std::string test_name(const testing::TestParamInfo<ReferenceScene>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Scene load(const std::string& name) {
  return load_scene(std::filesystem::path(test::source_dir()) / "scenes" / (name + ".json"));
}

/// In the file's units.
VecX in_reference_units(const Skeleton& skeleton, VecX q) {
  for (int k = 0; k < q.size(); ++k)
    if (skeleton.coordinates()[static_cast<size_t>(k)].kind == CoordinateKind::length)
      q[k] /= kCentimetre;
  return q;
}

/// H = T + V − V(0) at the end, in erg; the run must succeed.
double final_energy(const Scene& scene, const SimulationSettings& settings) {
  Workspace ws(scene.system);
  State state = initial_state(scene.system, settings.step);
  const double V_0 = energy(scene.system, {0, state.q, state.qdot}, ws).potential();
  const SimulationResult result = simulate(scene.system, settings, state, ws);
  EXPECT_EQ(result.end, SimulationEnd::finished) << describe_failure(scene.system, result, state);
  const Energy e = energy(scene.system, state, ws);
  return (e.kinetic + e.potential() - V_0) / kErg;
}

std::string csv_name(const char* prefix, int id, const std::string& suffix) {
  char name[64];
  std::snprintf(name, sizeof name, "redmax/%s_%02d_%s.csv", prefix, id, suffix.c_str());
  return name;
}

/// Rows of the file with t ≤ until, against our coordinates at those times.
template <class Compare>
void for_each_output(const Scene& scene, SimulationSettings settings, double interval, double until,
                     const ReferenceTable& table, Compare compare) {
  settings.output_interval = interval;
  settings.until = until;
  Workspace ws(scene.system);
  State state = initial_state(scene.system, settings.step);
  size_t row = 0;
  SimulationObserver observer;
  observer.on_output = [&](const State& now) {
    ASSERT_LT(row, table.rows.size());
    ASSERT_NEAR(table.rows[row][0], now.t, 1e-9);
    compare(in_reference_units(scene.system.skeleton(), now.q), table.rows[row]);
    ++row;
  };
  const SimulationResult result = simulate(scene.system, settings, state, ws, observer);
  EXPECT_EQ(result.end, SimulationEnd::finished) << describe_failure(scene.system, result, state);
  EXPECT_EQ(row, static_cast<size_t>(std::lround(until / interval)) + 1);
}

double largest_difference(const VecX& q, const std::vector<double>& row) {
  double largest = 0;
  for (int k = 0; k < q.size(); ++k)
    largest = std::max(largest, std::abs(q[k] - row[static_cast<size_t>(k) + 1]));
  return largest;
}

// ------------------------------------------------------- linearly implicit Euler

class ReferenceEuler : public testing::TestWithParam<ReferenceScene> {};

TEST_P(ReferenceEuler, FinalEnergyAgreesToEightDigits) {
  SINEW_NEEDS_REFERENCE();
  const Scene scene = load(GetParam().name);
  EXPECT_EQ(scene.settings.step.integrator, Integrator::linearly_implicit_euler);
  EXPECT_EQ(scene.settings.step.jacobian, StiffnessModel::redmax);
  const json reference = test::reference_scene("redmax/scenes_matlab.json", GetParam().id);
  EXPECT_DOUBLE_EQ(scene.settings.dt, reference.at("hEuler").get<double>());
  EXPECT_DOUBLE_EQ(scene.settings.until, reference.at("tspan_euler")[1].get<double>());
  const double expected = reference.at("Hexpected")[2];
  const double H = final_energy(scene, scene.settings);
  RecordProperty("relative_error", std::to_string(std::abs(H / expected - 1)));
  EXPECT_NEAR(H, expected, 1e-8 * std::abs(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ReferenceEuler,
    testing::Values(ReferenceScene{"redmax-m1", -1}, ReferenceScene{"redmax-00", 0},
                    ReferenceScene{"redmax-01", 1}, ReferenceScene{"redmax-02", 2},
                    ReferenceScene{"redmax-03", 3}, ReferenceScene{"redmax-04", 4},
                    ReferenceScene{"redmax-05", 5}, ReferenceScene{"redmax-07", 7},
                    ReferenceScene{"redmax-09", 9}, ReferenceScene{"redmax-10", 10},
                    ReferenceScene{"redmax-11", 11}, ReferenceScene{"redmax-13", 13},
                    ReferenceScene{"redmax-14", 14}, ReferenceScene{"redmax-15", 15},
                    ReferenceScene{"redmax-17", 17}, ReferenceScene{"redmax-18", 18},
                    ReferenceScene{"redmax-19", 19}, ReferenceScene{"redmax-20", 20},
                    ReferenceScene{"redmax-21", 21}, ReferenceScene{"redmax-23", 23},
                    ReferenceScene{"redmax-26", 26}, ReferenceScene{"redmax-32", 32},
                    ReferenceScene{"redmax-34", 34}),
    test_name);

// ------------------------------------------------------- BDF1 and BDF2

class ReferenceBdf : public testing::TestWithParam<ReferenceScene> {
 protected:
  static void expect_final_energy(Integrator integrator, const char* suffix) {
    const Scene scene = load(GetParam().name);
    EXPECT_EQ(scene.settings.step.integrator, Integrator::bdf2);
    SimulationSettings settings = scene.settings;
    settings.step.integrator = integrator;
    const ReferenceTable table = test::reference_csv(csv_name("diff_scene", GetParam().id, suffix));
    const double expected = table.rows.back()[table.column("H")];
    EXPECT_NEAR(final_energy(scene, settings), expected, 1e-8 * std::abs(expected));
  }
};

TEST_P(ReferenceBdf, FinalEnergyOfBdf1AgreesToEightDigits) {
  SINEW_NEEDS_REFERENCE();
  expect_final_energy(Integrator::bdf1, "BDF1");
}

TEST_P(ReferenceBdf, FinalEnergyOfBdf2AgreesToEightDigits) {
  SINEW_NEEDS_REFERENCE();
  // The reference changes its Euler chart at 0.684 s and does not say to which.
  if (GetParam().id == 7) return;
  expect_final_energy(Integrator::bdf2, "BDF2");
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ReferenceBdf,
    testing::Values(ReferenceScene{"redmax-diff-00", 0}, ReferenceScene{"redmax-diff-01", 1},
                    ReferenceScene{"redmax-diff-02", 2}, ReferenceScene{"redmax-diff-03", 3},
                    ReferenceScene{"redmax-diff-05", 5}, ReferenceScene{"redmax-diff-06", 6},
                    ReferenceScene{"redmax-diff-07", 7}, ReferenceScene{"redmax-diff-09", 9},
                    ReferenceScene{"redmax-diff-10", 10}, ReferenceScene{"redmax-diff-13", 13},
                    ReferenceScene{"redmax-diff-14", 14}),
    test_name);

/// Stops and cables at every step, in contact and out of it.
class ReferenceBdfSeries : public testing::TestWithParam<ReferenceScene> {};

TEST_P(ReferenceBdfSeries, CoordinatesAgreeAtEveryStep) {
  SINEW_NEEDS_REFERENCE();
  const Scene scene = load(GetParam().name);
  for (const Integrator integrator : {Integrator::bdf1, Integrator::bdf2}) {
    SimulationSettings settings = scene.settings;
    settings.step.integrator = integrator;
    const char* suffix = integrator == Integrator::bdf1 ? "BDF1" : "BDF2";
    const ReferenceTable table = test::reference_csv(csv_name("diff_scene", GetParam().id, suffix));
    double largest = 0;
    for_each_output(scene, settings, settings.dt, settings.until, table,
                    [&](const VecX& q, const std::vector<double>& row) {
                      largest = std::max(largest, largest_difference(q, row));
                    });
    // The error of Newton's stop at |g| < 1e-9: 2e-14 rad with stops, 7e-11 with the cable.
    EXPECT_LT(largest, 1e-9) << suffix;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ReferenceBdfSeries,
                         testing::Values(ReferenceScene{"redmax-diff-13", 13},
                                         ReferenceScene{"redmax-diff-14", 14}),
                         test_name);

TEST(ReferenceBdf2, SphericalJointAgreesUntilTheReferenceChangesItsChart) {
  SINEW_NEEDS_REFERENCE();
  const Scene scene = load("redmax-diff-07");
  const ReferenceTable table = test::reference_csv("redmax/diff_scene_07_BDF2.csv");
  double largest = 0;
  for_each_output(scene, scene.settings, 0.002, 0.682, table,
                  [&](const VecX& q, const std::vector<double>& row) {
                    largest = std::max(largest, largest_difference(q, row));
                  });
  // The reference's Newton stops at |g| < 1e-9; a fast double pendulum amplifies what that leaves.
  EXPECT_LT(largest, 1e-6);
}

TEST(ReferenceBdf2, SphericalJointGoesOnRightThroughThatTime) {
  // A scene of the table of defects: instead of its number, second order to the end. Energies
  // against those of twice the step.
  const Scene scene = load("redmax-diff-07");
  const auto drift = [&](double dt) {
    SimulationSettings settings = scene.settings;
    settings.dt = dt;
    settings.step.newton_residual = 0;
    Workspace ws(scene.system);
    const State start = scene.system.default_state();
    const double T_0 = energy(scene.system, {0, start.q, start.qdot}, ws).kinetic / kErg;
    return std::abs(final_energy(scene, settings) - T_0);
  };
  const double coarse = drift(0.002), fine = drift(0.001), finer = drift(0.0005);
  EXPECT_GT(coarse / fine, 3);
  EXPECT_GT(fine / finer, 3);
}

// ------------------------------------------------------- the truth

class ReferenceTruth : public testing::TestWithParam<ReferenceScene> {};

TEST_P(ReferenceTruth, IsFollowedByDopri5ForHalfASecond) {
  SINEW_NEEDS_REFERENCE();
  const Scene scene = load(GetParam().name);
  SimulationSettings settings = scene.settings;
  settings.step.integrator = Integrator::dopri5;
  settings.step.relative_tolerance = settings.step.absolute_tolerance = 1e-12;
  const ReferenceTable table = test::reference_csv(csv_name("scene", GetParam().id, "ref"));
  double largest = 0;
  for_each_output(scene, settings, table.rows[1][0], 0.5, table,
                  [&](const VecX& q, const std::vector<double>& row) {
                    largest = std::max(largest, largest_difference(q, row));
                  });
  RecordProperty("largest_difference", std::to_string(largest));
  EXPECT_LT(largest, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ReferenceTruth,
    testing::Values(ReferenceScene{"redmax-00", 0}, ReferenceScene{"redmax-01", 1},
                    ReferenceScene{"redmax-02", 2}, ReferenceScene{"redmax-03", 3},
                    ReferenceScene{"redmax-04", 4}, ReferenceScene{"redmax-05", 5},
                    ReferenceScene{"redmax-07", 7}, ReferenceScene{"redmax-10", 10},
                    ReferenceScene{"redmax-11", 11}, ReferenceScene{"redmax-14", 14},
                    ReferenceScene{"redmax-15", 15}, ReferenceScene{"redmax-17", 17},
                    ReferenceScene{"redmax-18", 18}, ReferenceScene{"redmax-19", 19},
                    ReferenceScene{"redmax-21", 21}, ReferenceScene{"redmax-23", 23},
                    ReferenceScene{"redmax-26", 26}, ReferenceScene{"redmax-34", 34}),
    test_name);

// ------------------------------------------------------- where the reference is wrong

TEST(ReferenceDefect, TheDamperOfScene24TakesEnergyAndAccountsForIt) {
  const Scene scene = load("redmax-24");
  SimulationSettings settings = scene.settings;
  settings.step.integrator = Integrator::rk4;
  settings.dt = 2e-4;
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  Audit audit(scene.system, settings.step, state, ws);
  const double start = audit.initial_energy().total();
  double last = start, work = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport& report) {
    Workspace fresh(scene.system);
    audit.add_step(now, report, fresh);
    // Never a gain beyond what RK4 errs by in a step.
    EXPECT_LE(audit.energy().total(), last + 1e-9 * std::abs(start));
    last = audit.energy().total();
    work = audit.work();
  };
  EXPECT_EQ(simulate(scene.system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_LT(work, 0);
  EXPECT_NEAR(last - start, work, 1e-6 * std::abs(work));
}

/// With dopri5: energy never grows beyond its error, and falls by the work that friction and
/// damping report.
State run_and_audit(const Scene& scene, double until) {
  SimulationSettings settings = scene.settings;
  settings.step.integrator = Integrator::dopri5;
  settings.step.relative_tolerance = settings.step.absolute_tolerance = 1e-9;
  settings.until = until;
  Workspace ws(scene.system), fresh(scene.system);
  State state = initial_state(scene.system, settings.step);
  Audit audit(scene.system, settings.step, state, ws);
  const double start = audit.initial_energy().total();
  double last = start;
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport& report) {
    audit.add_step(now, report, fresh);
    EXPECT_LE(audit.energy().total(), last + 1e-8 * start);
    last = audit.energy().total();
  };
  EXPECT_EQ(simulate(scene.system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_LT(audit.work(), 0);
  // Quadrature of the work through some tens of impacts.
  EXPECT_NEAR(last - start, audit.work(), 1e-5 * start);
  return state;
}

TEST(ReferenceDefect, TheBoxOfScene11LosesEnergyAndComesToRest) {
  const State end = run_and_audit(load("redmax-diff-11"), 3);
  // Flat on one of its faces, where it does not creep; it still bobs, as its restitution goes to 1.
  EXPECT_NEAR(std::sin(2 * end.q[2]), 0, 1e-9);
  EXPECT_NEAR(end.qdot[0], 0, 1e-9);
  EXPECT_NEAR(end.qdot[2], 0, 1e-9);
}

TEST(ReferenceDefect, TheBoxOfScene11SlidesAsFarAsCoulombSaysEitherWay) {
  for (const double speed : {50.0, -50.0}) {
    const Scene scene =
        load_scene(std::filesystem::path(test::source_dir()) / "scenes/redmax-diff-11.json",
                   {"bodies.b1.joint.q0=[0, 0.48765, 0]",
                    "bodies.b1.joint.qdot0=[" + std::to_string(speed) + ", 0, 0]"});
    const State end = run_and_audit(scene, 0.4);
    // docs/theory/smooth_contact.md, Eq. 12, with 2 μ g = 980 cm/s²: 0.005 cm more than Coulomb's
    // v²/2μg. Friction pitches the box and it bobs, which shifts some of its weight in time.
    const double distance = (50 * std::sqrt(2501.0) + std::asinh(50.0)) / 980;
    EXPECT_NEAR(end.q[0] / kCentimetre, std::copysign(distance, speed), 0.001);
    EXPECT_NEAR(end.qdot[0], 0, 1e-6);
  }
}

}  // namespace reference_scenes_test
}  // namespace sinew
