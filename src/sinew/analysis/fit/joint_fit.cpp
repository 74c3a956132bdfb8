#include "sinew/analysis/fit/joint_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/core/error.hpp"
#include "sinew/model/joints/sheet_speeds.hpp"

namespace sinew {
namespace {

FittedCandidate candidate(FittedType type, const VecX& distances, double parameters,
                          double extent) {
  const auto n = static_cast<double>(distances.size());
  // Exact data leave rounding alone, which must not decide: a billionth of the motion is none.
  const double sum = distances.squaredNorm() + 6 * n * std::pow(1e-9 * extent, 2);
  return {type, std::sqrt(distances.squaredNorm() / n), distances.maxCoeff(),
          6 * n * std::log(sum) + parameters * std::log(6 * n)};
}

JointFit from_frames(FittedType type, FrameFit fit) {
  return {.type = type,
          .joint = std::move(fit.joint),
          .E_PJ = fit.E_PJ,
          .E_JB = fit.E_JB,
          .q = std::move(fit.q),
          .distances = std::move(fit.distances),
          .angles = {},
          .displacements = {},
          .curve = std::nullopt,
          .surface = std::nullopt,
          .shape = std::nullopt,
          .candidates = {}};
}

/// A joint that stops there stays there, whatever pushes it. A thousandth of the speed elsewhere is
/// a cusp between two samples.
void check_speed(const JointShape& shape, const std::string& what) {
  if (shape.least_speed > 1e-3 * shape.largest_speed) return;
  std::string at;
  for (const double q : shape.slowest_at) at += (at.empty() ? "" : ", ") + std::to_string(q);
  throw Error(
      "fit", "the " + what + " stands still at q = " + at,
      "smooth it, ask for fewer control values, or leave out poses in which the bones rest");
}

JointFit from_curve(CurveFit fit, const JointFitOptions& options) {
  const CubicBSpline& spline = fit.curve.spline();
  JointFit out = from_frames(FittedType::curve, {.joint = fit.curve,
                                                 .E_PJ = options.E_PJ,
                                                 .E_JB = options.E_JB,
                                                 .q = fit.q.transpose(),
                                                 .distances = fit.distances});
  out.shape = joint_shape(fit.curve, spline.begin(), spline.end(), fit.metric);
  check_speed(*out.shape, "curve");
  out.curve = std::move(fit);
  return out;
}

JointFit from_surface(SurfaceFit fit, const PoseMetric& metric) {
  JointFit out = from_frames(FittedType::surface, {.joint = fit.surface,
                                                   .E_PJ = fit.E_PJ,
                                                   .E_JB = fit.E_JB,
                                                   .q = fit.q,
                                                   .distances = fit.distances});
  out.shape = joint_shape(fit.surface, metric);
  check_speed(*out.shape, "surface");
  out.surface = std::move(fit);
  return out;
}

void add_errors(const std::vector<Pose>& poses, JointFit& fit) {
  const auto n = static_cast<Eigen::Index>(poses.size());
  fit.angles.resize(n);
  fit.displacements.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const VecX q = fit.q.col(k), still = VecX::Zero(q.size());
    JointMotion motion;
    fit.joint.evaluate({q.data(), static_cast<size_t>(q.size())},
                       {still.data(), static_cast<size_t>(still.size())}, motion);
    const Pose E = fit.E_PJ * motion.Q * fit.E_JB;
    const Pose& G = poses[static_cast<size_t>(k)];
    fit.angles[k] = log(E.inverse() * G).head<3>().norm();
    fit.displacements[k] = (E.p - G.p).norm();
  }
}

}  // namespace

const char* name_of(FittedType type) {
  switch (type) {
    case FittedType::automatic:
      return "auto";
    case FittedType::hinge:
      return "hinge";
    case FittedType::universal:
      return "universal";
    case FittedType::curve:
      return "curve";
    case FittedType::surface:
      return "surface";
  }
  return "";
}

JointShape joint_shape(const Joint& joint, double begin, double end, const PoseMetric& metric) {
  JointShape out{.least_speed = INFINITY};
  constexpr int kSamples = 1000;
  const double one = 1;
  for (int i = 0; i <= kSamples; ++i) {
    const double q = begin + (end - begin) * i / kSamples;
    JointMotion motion;
    joint.evaluate({&q, 1}, {&one, 1}, motion);
    const double speed = metric.length(motion.S.col(0));
    if (speed < out.least_speed) {
      out.least_speed = speed;
      out.slowest_at = VecX::Constant(1, q);
    }
    out.largest_speed = std::max(out.largest_speed, speed);
    out.largest_bend = std::max(out.largest_bend, metric.length(motion.Sdot.col(0)));
  }
  return out;
}

JointShape joint_shape(const SplineSurface& surface, const PoseMetric& metric) {
  JointShape out{.least_speed = INFINITY};
  constexpr int kSamples = 50;  // each way
  const std::array<CubicBSpline, 2>& splines = surface.splines();
  std::array<double, 2> range;
  for (size_t k = 0; k < 2; ++k) range[k] = splines[k].end() - splines[k].begin();
  for (int i = 0; i <= kSamples; ++i)
    for (int j = 0; j <= kSamples; ++j) {
      const std::array<double, 2> q{splines[0].begin() + range[0] * i / kSamples,
                                    splines[1].begin() + range[1] * j / kSamples};
      const std::array<double, 2> still{};
      JointMotion motion;
      surface.evaluate(q, still, motion);
      const SheetSpeeds speeds = sheet_speeds(metric.twist_weight() * motion.S.col(0) * range[0],
                                              metric.twist_weight() * motion.S.col(1) * range[1]);
      if (speeds.least < out.least_speed) {
        out.least_speed = speeds.least;
        out.slowest_at = Eigen::Vector2d(q[0], q[1]);
      }
      out.largest_speed = std::max(out.largest_speed, speeds.largest);
    }
  return out;
}

JointFit fit_joint(const std::vector<Pose>& poses, const MatX& q, const JointFitOptions& options) {
  const PoseMetric& metric = options.curve.metric;
  const auto n = static_cast<double>(poses.size());
  const double extent = extent_of(poses, metric);
  const FittedType spline = q.rows() == 2 ? FittedType::surface : FittedType::curve;
  const auto wanted = [&](FittedType type) {
    const bool tried = type != FittedType::curve && type != FittedType::surface;
    return options.type == type ||
           (options.type == FittedType::automatic && (tried || type == spline));
  };
  if (q.rows() > 0 && (options.type == FittedType::curve || options.type == FittedType::surface) &&
      options.type != spline)
    throw Error("fit", "the poses have " + std::to_string(q.rows()) + " coordinates",
                q.rows() == 1 ? "a surface has two: give q1 and q2, or find them"
                              : "a curve has one: ask for a surface, or find it");
  std::vector<JointFit> fits;
  std::vector<FittedCandidate> candidates;
  const auto add = [&](JointFit fit, double parameters) {
    candidates.push_back(candidate(fit.type, fit.distances, parameters, extent));
    fits.push_back(std::move(fit));
  };
  if (wanted(FittedType::hinge)) {
    FrameFit fit = fit_hinge(poses, metric);
    const double parameters = fit.parameters + n;
    add(from_frames(FittedType::hinge, std::move(fit)), parameters);
  }
  if (wanted(FittedType::universal)) {
    FrameFit fit = fit_universal(poses, metric);
    const double parameters = fit.parameters + 2 * n;
    add(from_frames(FittedType::universal, std::move(fit)), parameters);
  }
  if (wanted(FittedType::curve)) {
    CurveFitOptions curve = options.curve;
    curve.metric = metric.moved(options.E_JB);
    std::vector<Pose> moving;
    for (const Pose& pose : poses)
      moving.push_back(options.E_PJ.inverse() * pose * options.E_JB.inverse());
    CurveFit fit =
        q.size() == 0
            ? fit_curve(moving, curve)
            : fit_curve(moving, std::vector<double>(q.data(), q.data() + q.size()), curve);
    // A q that is given counts as one that is found: the others had to find theirs.
    const double parameters = fit.parameters + n;
    add(from_curve(std::move(fit), options), parameters);
  }
  if (wanted(FittedType::surface)) {
    SurfaceFitOptions surface = options.surface;
    surface.metric = metric;
    SurfaceFit fit = q.size() == 0 ? fit_surface(poses, surface) : fit_surface(poses, q, surface);
    const double parameters = fit.parameters + 2 * n;
    add(from_surface(std::move(fit), metric), parameters);
  }
  size_t best = 0;
  for (size_t i = 1; i < fits.size(); ++i)
    if (candidates[i].bic < candidates[best].bic) best = i;
  JointFit out = std::move(fits[best]);
  out.candidates = std::move(candidates);
  add_errors(poses, out);
  return out;
}

}  // namespace sinew
