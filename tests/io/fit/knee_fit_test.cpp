#include <nlohmann/json.hpp>

#include "io/fit/measured_knee.hpp"
#include "sinew/io/fit/joint_writer.hpp"
#include "sinew/io/fit/model_joint.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {
namespace knee_fit_test {

using test::evenly;
using test::largest_error;
using test::ModelJoint;
using test::poses_at;

CurveFit fit_joint(const ModelJoint& knee, int frames) {
  CurveFitOptions options;
  options.frames = frames;
  options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.05);
  const std::vector<double> q = evenly(knee.begin, knee.end, 200);
  return fit_curve(poses_at(knee.joint, q), q, options);
}

TEST(FitKnee, FollowsTheWalkerKnee) {
  SINEW_NEEDS_REFERENCE();
  const ModelJoint knee = test::model_joint("Rajagopal2016.osim", "walker_knee_r");
  const test::PoseError eight =
      largest_error(fit_joint(knee, 8).curve, knee.joint, knee.begin, knee.end);
  EXPECT_LE(eight.rotation, 1e-3);
  EXPECT_LE(eight.position, 0.02e-3);
  const test::PoseError fifteen =
      largest_error(fit_joint(knee, 15).curve, knee.joint, knee.begin, knee.end);
  EXPECT_LE(fifteen.rotation, 5e-5);
  EXPECT_LE(fifteen.position, 1e-6);
}

TEST(FitKnee, FollowsTheKneeOfGait2392) {
  SINEW_NEEDS_REFERENCE();
  const ModelJoint knee = test::model_joint("gait2392_thelen2003muscle.osim", "knee_r");
  const CurveFit fit = fit_joint(knee, 12);
  EXPECT_LE(largest_error(fit.curve, knee.joint, knee.begin, knee.end).position, 0.05e-3);
}

// A model's joint has frames on both bones; a scene's body gets them, too.
TEST(FitKnee, IsWhereTheModelHasIt) {
  SINEW_NEEDS_REFERENCE();
  const std::filesystem::path path = *test::reference_dir() / "opensim/models/Rajagopal2016.osim";
  const OsimModel model = load_osim(path);
  const Body& tibia = model.skeleton.body(model.skeleton.find_body("tibia_r"));
  const auto pose_of = [](const Body& body, double q) {
    return body.E_PJ * test::pose_at(body.joint, q) * body.E_JB;
  };
  const BonePoses data = poses_of_model_joint(path.string(), "walker_knee_r", std::nullopt, 60);
  JointFitOptions options{.type = FittedType::curve, .curve = {}, .surface = {}};
  options.curve.frames = 15;
  options.E_PJ = data.E_PJ;
  options.E_JB = data.E_JB;
  const JointFit fit = sinew::fit_joint(data.poses, data.q, options);
  EXPECT_LE(fit.displacements.maxCoeff(), 1e-6);

  using nlohmann::json;
  json body = json::parse(scene_joint(fit));
  body.update({{"name", "tibia"},
               {"parent", "world"},
               {"inertia", {{"mass", 1}, {"moments", {0.1, 0.1, 0.1}}}}});
  const json text = {{"sinew_scene", 1}, {"title", "knee"}, {"bodies", json::array({body})}};
  const Scene scene = parse_scene(text.dump(), "knee.json", {});
  const Body& fitted = scene.system.skeleton().bodies()[0];
  for (Eigen::Index k = 0; k < data.q.cols(); ++k) {
    const Pose truth = pose_of(tibia, data.q(0, k)), there = pose_of(fitted, data.q(0, k));
    EXPECT_GT(truth.p.norm(), 0.3);  // the femur's length, nearly: not its origin
    EXPECT_LE(test::distance(truth, data.poses[static_cast<size_t>(k)]), 1e-12);
    EXPECT_NEAR((there.p - truth.p).norm(), fit.displacements[k], 1e-10);
    EXPECT_NEAR(log(there.inverse() * truth).head<3>().norm(), fit.angles[k], 1e-10);
  }
}

// Three of the fifty seeds of tests/validate.
TEST(FitKnee, SmoothsANoisyKnee) {
  SINEW_NEEDS_REFERENCE();
  const test::MeasuredKnee m;
  CurveFitOptions smooth = m.options;
  smooth.smoothing = std::nullopt;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Pose> poses = m.poses(seed);
    const CurveFit rough = fit_curve(poses, m.q, m.options), fit = fit_curve(poses, m.q, smooth);
    // A single seed may be less lucky than the median, which is below 0.6.
    EXPECT_LE(m.error(fit).rotation, 0.7 * m.error(rough).rotation) << seed;
    EXPECT_LE(m.error(fit).position, 0.7 * m.error(rough).position) << seed;
    EXPECT_LE(m.bend(fit.curve), 2.5 * m.bend(m.knee.joint)) << seed;
    EXPECT_GE(m.bend(rough.curve), 10 * m.bend(m.knee.joint)) << seed;
  }
}

}  // namespace knee_fit_test
}  // namespace sinew
