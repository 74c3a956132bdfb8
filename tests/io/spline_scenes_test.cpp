#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>
#include <variant>

#include "analysis/fit/curve_examples.hpp"
#include "io/scene_run.hpp"
#include "support/source_dir.hpp"

/// Scenes with spline joints (Lee and Terzopoulos 2008, figures 4 and 5).

namespace sinew {
namespace spline_scenes_test {

constexpr double kDegree = std::numbers::pi / 180;

Scene scene_named(const std::string& name) {
  return load_scene(std::filesystem::path(test::source_dir()) / "scenes" / (name + ".json"));
}

const Joint& joint_of(const Scene& scene, const std::string& body) {
  const Skeleton& skeleton = scene.system.skeleton();
  return skeleton.body(skeleton.find_body(body)).joint;
}

TEST(SplineScenes, TheFlowerIsThatOfItsFormula) {
  const Scene scene = scene_named("flower-beads");
  const Joint& joint = joint_of(scene, "bead_a");
  double position = 0, direction = 0;
  for (int k = 0; k < 4000; ++k) {
    const double t = 2 * std::numbers::pi * k / 4000;
    const double r = 1 + 0.3 * std::cos(5 * t), dr = -1.5 * std::sin(5 * t);
    const Vec3 x(r * std::cos(t), r * std::sin(t), 0);
    const Vec3 along(dr * std::cos(t) - r * std::sin(t), dr * std::sin(t) + r * std::cos(t), 0);
    const Pose Q = test::pose_at(joint, 80.0 * k / 4000);
    position = std::max(position, (Q.p - x).norm());
    direction = std::max(direction, std::acos(std::min(1.0, Q.R.col(0).dot(along.normalized()))));
  }
  RecordProperty("position_mm", std::to_string(1e3 * position));
  RecordProperty("direction_degrees", std::to_string(direction / kDegree));
  EXPECT_LT(position, 1e-3);
  EXPECT_LT(direction, 2 * kDegree);
}

/// The curves of a scene's joints, alone or in a composite, none reversed.
std::vector<SplineCurve> curves_of(const Scene& scene) {
  std::vector<SplineCurve> out;
  const auto add = [&](const Joint& joint) {
    if (const auto* curve = std::get_if<SplineCurve>(&joint.variant()))
      out.push_back(curve->is_reversed() ? curve->reversed() : *curve);
  };
  for (const Body& body : scene.system.skeleton().bodies()) {
    add(body.joint);
    if (const auto* composite = std::get_if<Composite>(&body.joint.variant()))
      for (const Joint& part : composite->parts) add(part);
  }
  return out;
}

// A fit to an outline with corners swings beside it, up to a cusp. Fitted to these outlines the
// frames are within 2.4 degrees; twice that would be seen.
TEST(SplineScenes, FramesPointAlongTheirCurves) {
  for (const auto& [name, count] : {std::pair<const char*, size_t>{"flower-beads", 3},
                                    {"coastline", 3},
                                    {"letters", 7},
                                    {"letters-sliding", 14}}) {
    const Scene scene = scene_named(name);
    const std::vector<SplineCurve> curves = curves_of(scene);
    EXPECT_EQ(curves.size(), count) << name;
    for (const SplineCurve& curve : curves) {
      const CubicBSpline& spline = curve.spline();
      // Frames of letters that slide on their own outline look back along it.
      const double forwards =
          test::motion(curve, test::vec({spline.begin()}), test::vec({1})).S(3, 0) > 0 ? 1 : -1;
      for (int k = 0; k < 4000; ++k) {
        const double q = spline.begin() + (spline.end() - spline.begin()) * k / 4000;
        const VecX S = test::motion(curve, test::vec({q}), test::vec({1})).S.col(0);
        const double angle = std::atan2(S.tail<2>().norm(), forwards * S[3]);
        ASSERT_LT(angle, 5 * kDegree) << name << " at q = " << q;
      }
    }
  }
}

// The paper's point: a first-order method stays bounded at large steps.
TEST(SplineScenes, SemiImplicitEulerStaysBoundedAtLargeSteps) {
  for (const auto& [name, dt] :
       {std::pair<const char*, double>{"flower-beads", 0.1}, {"coastline", 0.02}}) {
    const Scene scene = scene_named(name);
    SimulationSettings settings = scene.settings;
    settings.step.integrator = Integrator::semi_implicit_euler;
    settings.dt = dt;
    settings.until = 60;
    const test::SceneRun r = test::run(scene, settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
  }
}

TEST(SplineScenes, LettersSlideAlongEachOther) {
  EXPECT_EQ(scene_named("letters").system.dof_count(), 8);
  EXPECT_EQ(scene_named("letters-sliding").system.dof_count(), 15);
  for (const char* name : {"letters", "letters-sliding"}) {
    const Scene scene = scene_named(name);
    const test::SceneRun r = test::run(scene, scene.settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
  }
}

/// Of the scene `scapula`: the ends of the clavicle at the sternum and on the scapula [m].
const Vec3 kSternum(0.02, 0, 0.005), kAcromion(0.10296, 0.08335, -0.012);
constexpr double kClavicle = 0.157;

TEST(SplineScenes, TheScapulaKeepsTheClaviclesLength) {
  const Scene scene = scene_named("scapula");
  const Skeleton& skeleton = scene.system.skeleton();
  const Body& body = skeleton.body(skeleton.find_body("scapula"));
  double largest = 0;
  for (int i = 0; i <= 60; ++i)
    for (int j = 0; j <= 60; ++j) {
      const VecX q = test::vec({(-15 + 0.5 * i) * kDegree, (-15 + 0.5 * j) * kDegree});
      const Pose E = body.E_PJ * test::motion(body.joint, q, test::vec({0, 0})).Q * body.E_JB;
      largest = std::max(largest, std::abs((E * kAcromion - kSternum).norm() - kClavicle));
    }
  RecordProperty("largest_mm", std::to_string(1e3 * largest));
  EXPECT_LT(largest, 0.05e-3);
}

TEST(SplineScenes, TheScapulaStaysOnTheThorax) {
  const Scene scene = scene_named("scapula");
  const Skeleton& skeleton = scene.system.skeleton();
  const Body& body = skeleton.body(skeleton.find_body("scapula"));
  const Vec3 center(0, -0.149, 0.059), radii(0.147, 0.208, 0.094);
  double off = 0, tilt = 0;
  for (int i = 0; i <= 60; ++i)
    for (int j = 0; j <= 60; ++j) {
      const VecX q = test::vec({(-15 + 0.5 * i) * kDegree, (-15 + 0.5 * j) * kDegree});
      const Pose E = body.E_PJ * test::motion(body.joint, q, test::vec({0, 0})).Q * body.E_JB;
      // Of the ellipsoid |u| = 1: half the gradient of |u|², and the distance to first order.
      const Vec3 u = (E.p - center).cwiseQuotient(radii);
      const Vec3 gradient = u.cwiseQuotient(radii);
      off = std::max(off, std::abs(u.squaredNorm() - 1) / (2 * gradient.norm()));
      tilt = std::max(tilt, E.R.col(2).cross(gradient.normalized()).norm());
    }
  RecordProperty("off_micrometres", std::to_string(1e6 * off));
  RecordProperty("tilt_degrees", std::to_string(tilt / kDegree));
  // 6 by 6 control values leave a micrometre and some thousandths of a degree.
  EXPECT_LT(off, 5e-6);
  EXPECT_LT(tilt, 0.02 * kDegree);
}

// What holds it there is a spring, so it stretches.
TEST(SplineScenes, TheClavicleStaysOnTheScapulaAsItFalls) {
  const Scene scene = scene_named("scapula");
  const Skeleton& skeleton = scene.system.skeleton();
  const BodyIndex scapula = skeleton.find_body("scapula"),
                  clavicle = skeleton.find_body("clavicle");
  State state = initial_state(scene.system, scene.settings.step);
  Workspace ws(scene.system);
  const VecX start = state.q;
  double length = 0, apart = 0, moved = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport&) {
    update_kinematics(scene.system, s, ws);
    const Vec3 acromion = body_pose(skeleton, ws.skeleton, scapula) * kAcromion;
    const Vec3 end = body_pose(skeleton, ws.skeleton, clavicle) * Vec3(kClavicle, 0, 0);
    length = std::max(length, std::abs((acromion - kSternum).norm() - kClavicle));
    apart = std::max(apart, (acromion - end).norm());
    moved = std::max(moved, (s.q - start).head(2).norm());
  };
  EXPECT_EQ(simulate(scene.system, scene.settings, state, ws, observer).end,
            SimulationEnd::finished);
  RecordProperty("length_mm", std::to_string(1e3 * length));
  RecordProperty("apart_mm", std::to_string(1e3 * apart));
  RecordProperty("moved_degrees", std::to_string(moved / kDegree));
  EXPECT_LT(length, 1e-3);
  EXPECT_LT(apart, 1e-3);
  EXPECT_GT(moved, 5 * kDegree);
}

TEST(SplineScenes, TheBallIsCarriedByTheSurface) {
  const Scene scene = scene_named("ball-on-surface");
  EXPECT_EQ(scene.system.dof_count(), 2);
  const test::SceneRun r = test::run(scene, scene.settings);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
  RecordProperty("energy_error", std::to_string(1e9 * r.audit.energy_error) + "e-9");
  EXPECT_LT(r.audit.energy_error, 1e-6);
}

}  // namespace spline_scenes_test
}  // namespace sinew
