#include <gtest/gtest.h>

#include <map>

#include "io/muscle_scenes.hpp"
#include "sinew/analysis/muscle_paths.hpp"

/// The arm and the finger that come with the program: models/arm, models/finger.

namespace sinew::test {
namespace limb_scenes_test {

/// Moment arms of all muscles about one coordinate over its range, everything else as the scene
/// starts [mm].
std::map<std::string, std::vector<double>> arms(const Scene& scene, const std::string& coordinate,
                                                double from, double to) {
  const System& system = scene.system;
  Eigen::Index dof = 0;
  while (system.coordinates()[static_cast<size_t>(dof)].name != coordinate) ++dof;
  State state = system.default_state();
  Workspace ws(system);
  std::vector<MusclePath> paths;
  std::map<std::string, std::vector<double>> out;
  for (int k = 0; k <= 20; ++k) {
    state.q[dof] = from + (to - from) * k / 20;
    update_muscle_paths(system, {0, state.q, state.qdot}, ws, paths);
    for (size_t i = 0; i < paths.size(); ++i) {
      EXPECT_FALSE(failed(paths[i].status)) << system.muscles()[i]->name() << state.q[dof];
      out[system.muscles()[i]->name()].push_back(1e3 * paths[i].moment_arms[dof]);
    }
  }
  return out;
}

void expect_within(const std::vector<double>& values, double low, double high, const char* what) {
  for (const double v : values) {
    EXPECT_GE(v, low) << what;
    EXPECT_LE(v, high) << what;
  }
}

// Ranges are those of published measurements, widened by what people differ by.

TEST(Arm, DeltoidMovesTheArmAsItsHeadsDo) {
  const Scene hanging = load("arm", {"bodies.humerus.joint.q0=[0.1, -0.3, 0]"});
  const auto lift = arms(hanging, "shoulder_adduction", -1.5, -0.2);
  expect_within(lift.at("deltoid_middle"), -45, -15, "middle deltoid abducts");
  const auto raise = arms(hanging, "shoulder_flexion", -0.2, 1.2);
  expect_within(raise.at("deltoid_anterior"), 5, 45, "anterior deltoid flexes");
  expect_within(arms(hanging, "shoulder_flexion", -0.2, 0.8).at("deltoid_posterior"), -50, -3,
                "posterior deltoid extends");
  // The anterior head lies on the humerus's when the arm is behind, the posterior when it is
  // raised.
  const auto wrapped = [](const std::string& pose, size_t muscle) {
    const Scene scene = load("arm", {"bodies.humerus.joint.q0=" + pose});
    const State state = scene.system.default_state();
    Workspace ws(scene.system);
    std::vector<MusclePath> paths;
    update_muscle_paths(scene.system, {0, state.q, state.qdot}, ws, paths);
    return paths[muscle].wrapped_angle;
  };
  EXPECT_GT(wrapped("[-0.4, -0.1, 0]", 0), 0.2);
  EXPECT_GT(wrapped("[1, -0.1, 0]", 2), 0.2);
}

TEST(Arm, TricepsExtendsAndBicepsFlexesTheElbow) {
  const Scene scene = load("arm");
  const auto elbow = arms(scene, "elbow_flexion", 0.1, 2.3);
  for (const char* head : {"triceps_long", "triceps_lateral", "triceps_medial"})
    expect_within(elbow.at(head), -28, -15, head);  // about 20 mm: Murray et al. 1995
  // 15 to 50 mm, with a maximum between 70° and 110°: Murray et al. 1995
  const std::vector<double>& biceps = elbow.at("biceps");
  expect_within(biceps, 15, 50, "biceps");
  const auto top = std::max_element(biceps.begin(), biceps.end()) - biceps.begin();
  const double at = 0.1 + 2.2 * static_cast<double>(top) / 20;
  EXPECT_GT(at, 1.2);
  EXPECT_LT(at, 1.95);
  expect_within(elbow.at("deltoid_middle"), -1e-9, 1e-9, "deltoid does not cross the elbow");
}

TEST(Arm, KeepsItsMassAndItsEnergy) {
  const Scene scene = load("arm");
  double mass = 0;
  for (const Body& body : scene.system.skeleton().bodies()) mass += body.M_B.mass;
  for (const auto& muscle : scene.muscle_masses) mass += muscle.mass;
  EXPECT_NEAR(mass, 2.0325 + 1.215 + 0.4575, 1e-12);
  // RK4 at 1 ms; the rest comes from the stops, whose force bends where they begin.
  // Measured: 2.0e-4, without muscle mass 1.2e-4.
  EXPECT_LT(energy_error("arm", Integrator::rk4, 1e-3, 1), 1e-3);
}

TEST(IndexFinger, TendonsHaveTheMomentArmsOfPulleys) {
  // An et al. 1983: deep flexor 11, 8 and 4 mm, superficial 12 and 6 mm, extensor 9, 3 and 2 mm
  // near the straight finger; flexors that pass pulleys bow away from bent joints.
  const Scene scene = load("finger");
  const auto mcp = arms(scene, "mcp_flexion", 0, 1.3);
  expect_within(mcp.at("flexor_digitorum_profundus"), 9, 18, "deep flexor, knuckle");
  expect_within(mcp.at("flexor_digitorum_superficialis"), 10, 19, "superficial flexor, knuckle");
  expect_within(mcp.at("extensor_digitorum"), -11, -7, "extensor, knuckle");
  const auto pip = arms(scene, "pip_flexion", 0, 1.4);
  expect_within(pip.at("flexor_digitorum_profundus"), 7, 13, "deep flexor, middle joint");
  expect_within(pip.at("flexor_digitorum_superficialis"), 5, 11, "superficial flexor, middle");
  expect_within(pip.at("extensor_digitorum"), -6, -2, "extensor, middle joint");
  const auto dip = arms(scene, "dip_flexion", 0, 1.1);
  expect_within(dip.at("flexor_digitorum_profundus"), 3.5, 7, "deep flexor, last joint");
  expect_within(dip.at("flexor_digitorum_superficialis"), -1e-9, 1e-9, "inserts before it");
  expect_within(dip.at("extensor_digitorum"), -5, -1.5, "extensor, last joint");
}

TEST(IndexFinger, BelliesInTheForearmAreALargePartOfWhatTheFingerMoves) {
  // A belly that moves with an inextensible tendon adds m r²/3 to a joint's inertia, one end being
  // held: 12.4 g at 4.4 mm is 8e-8 kg m², beside 5e-7 kg m² of the last phalanx.
  const Scene with = load("finger"), without = load("finger", {"muscles.mass_model=lumped"});
  const VecX q = with.system.default_state().q;
  const double heavy = mass_matrix_at(with.system, q)(3, 3),
               bone = mass_matrix_at(without.system, q)(3, 3);
  Workspace ws(with.system);
  std::vector<MusclePath> paths;
  update_muscle_paths(with.system, {0, q, VecX::Zero(4)}, ws, paths);
  const double deep = paths[0].moment_arms[3], back = paths[2].moment_arms[3];
  EXPECT_NEAR(heavy - bone, (0.0124 * deep * deep + 0.0031 * back * back) / 3, 1e-14);
  EXPECT_GT(heavy / bone, 1.1);
}

TEST(IndexFinger, KeepsItsEnergy) {
  // RK4 in steps of 0.1 ms against stops of 0.5 N m/rad; measured 4.5e-4, at 0.05 ms 7e-5.
  EXPECT_LT(energy_error("finger", Integrator::rk4, 1e-4, 0.3), 1e-3);
}

}  // namespace limb_scenes_test
}  // namespace sinew::test
