#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "io/muscle_scenes.hpp"
#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/io/osim/osim_model.hpp"

/// Wrapped paths of the models that come with the program, along a motion through touch-downs: the
/// length has no jumps, and its rate is its derivative.

namespace sinew::test {
namespace wrapped_motion_test {

using Evaluate = std::function<void(const VecX&, const VecX&, std::vector<MusclePath>&)>;

/// Coordinates swing about `middle`, each at its own speed.
struct Swing {
  VecX middle, amplitude;
  double angle(double t, Eigen::Index k) const { return (3 + 0.7 * double(k)) * t + double(k); }
  VecX q(double t) const {
    VecX out = middle;
    for (Eigen::Index k = 0; k < out.size(); ++k) out[k] += amplitude[k] * std::sin(angle(t, k));
    return out;
  }
  VecX qdot(double t) const {
    VecX out(middle.size());
    for (Eigen::Index k = 0; k < out.size(); ++k)
      out[k] = (3 + 0.7 * double(k)) * amplitude[k] * std::cos(angle(t, k));
    return out;
  }
};

struct Smoothness {
  double jump = 0;                  ///< jump of a length, beyond its rate [m]
  std::vector<double> rate_errors;  ///< errors of all samples [m/s]
  double share(double below) const {
    const auto count = std::count_if(rate_errors.begin(), rate_errors.end(),
                                     [below](double e) { return e < below; });
    return static_cast<double>(count) / static_cast<double>(rate_errors.size());
  }
};

Smoothness follow(const Swing& swing, const Evaluate& evaluate) {
  constexpr double kStep = 1e-3, kDifference = 1e-6;  // [s]
  Smoothness out;
  std::vector<MusclePath> before, here, low, high;
  for (double t = 0; t < 2; t += kStep) {
    evaluate(swing.q(t), swing.qdot(t), here);
    evaluate(swing.q(t - kDifference), swing.qdot(t), low);
    evaluate(swing.q(t + kDifference), swing.qdot(t), high);
    for (size_t i = 0; i < here.size(); ++i) {
      EXPECT_FALSE(failed(here[i].status)) << i << " at " << t;
      const double slope = (high[i].length - low[i].length) / (2 * kDifference);
      out.rate_errors.push_back(std::abs(slope - here[i].rate));
      if (before.empty()) continue;
      const double expected = 0.5 * kStep * (here[i].rate + before[i].rate);
      out.jump = std::max(out.jump, std::abs(here[i].length - before[i].length - expected));
    }
    before = here;
  }
  return out;
}

/// At touch-down L̈ jumps, by 10 m/s² at most: that makes 1e-6 m of the trapezoidal rule and 1e-5
/// m/s of of the difference. Elsewhere both are rounding, 3e-10 m/s.
void expect_smooth(const Smoothness& s) {
  std::printf("largest jump %.1e m; rates: largest error %.1e m/s, %.2f %% below 1e-8\n", s.jump,
              *std::max_element(s.rate_errors.begin(), s.rate_errors.end()), 100 * s.share(1e-8));
  EXPECT_LT(s.jump, 5e-6);
  EXPECT_EQ(s.share(2e-5), 1);
  EXPECT_GT(s.share(1e-8), 0.98);
}

TEST(WrappedMotion, LengthsOfTheLegDoNotJumpAndTheirRatesAreDerivatives) {
  const OsimModel model = load_osim(std::filesystem::path(source_dir()) / "models/leg/leg.osim");
  Swing swing{VecX(model.skeleton.dof_count()), VecX(model.skeleton.dof_count())};
  for (size_t k = 0; k < model.coordinates.size(); ++k) {
    const OsimCoordinate& c = model.coordinates[k];
    const auto at = static_cast<Eigen::Index>(k);
    swing.middle[at] = 0.5 * (c.lower + c.upper);
    swing.amplitude[at] = 0.45 * (c.upper - c.lower);
    if (c.kind == CoordinateKind::length) swing.middle[at] = swing.amplitude[at] = 0.1;
  }
  std::vector<OpenSimPath> paths;
  size_t surfaces = 0;
  for (const OsimPath& path : model.paths) {
    paths.push_back(path.path);
    surfaces += path.path.surfaces.size();
  }
  EXPECT_GE(surfaces, 2u);
  SkeletonWorkspace ws(model.skeleton);
  bool touched = false, free = false;
  expect_smooth(follow(swing, [&](const VecX& q, const VecX& qdot, std::vector<MusclePath>& out) {
    update_kinematics(model.skeleton, q, qdot, ws);
    update_opensim_paths(model.skeleton, paths, q, qdot, ws, out);
    for (size_t i = 0; i < paths.size(); ++i)
      if (!paths[i].surfaces.empty())
        (out[i].nodes.size() > paths[i].points.size() ? touched : free) = true;
  }));
  EXPECT_TRUE(touched && free);  // or nothing was tested
}

TEST(WrappedMotion, LengthsOfTheArmDoNotJumpAndTheirRatesAreDerivatives) {
  const Scene scene = load("arm");
  const auto dof = [&](const char* name) {
    return static_cast<Eigen::Index>(scene.system.skeleton().find_coordinate(name).value);
  };
  Swing swing{scene.system.default_state().q, VecX::Zero(scene.system.dof_count())};
  const auto between = [&](const char* name, double low, double high) {
    swing.middle[dof(name)] = 0.5 * (low + high);
    swing.amplitude[dof(name)] = 0.5 * (high - low);
  };
  between("shoulder_flexion", -0.4, 1.2);
  between("shoulder_adduction", -1.2, -0.1);
  between("elbow_flexion", 0.1, 2.3);
  Workspace ws(scene.system);
  double least = 10, most = 0;
  expect_smooth(follow(swing, [&](const VecX& q, const VecX& qdot, std::vector<MusclePath>& out) {
    update_muscle_paths(scene.system, {0, q, qdot}, ws, out);
    least = std::min(least, out[0].wrapped_angle);
    most = std::max(most, out[0].wrapped_angle);
  }));
  EXPECT_LT(least, 0.01);
  EXPECT_GT(most, 0.2);
}

}  // namespace wrapped_motion_test
}  // namespace sinew::test
