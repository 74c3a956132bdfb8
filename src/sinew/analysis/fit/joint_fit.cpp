#include "sinew/analysis/fit/joint_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/core/error.hpp"
#include "sinew/model/joints/sheet_speeds.hpp"

namespace sinew {
namespace {

JointFit from_frames(FittedType type, FrameFit fit) {
  return {.type = type,
          .joint = std::move(fit.joint),
          .E_PJ = fit.E_PJ,
          .E_JB = fit.E_JB,
          .q = std::move(fit.q),
          .distances = std::move(fit.distances),
          .weights = std::move(fit.weights),
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
                                                 .distances = fit.distances,
                                                 .weights = fit.weights});
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
                                                   .distances = fit.distances,
                                                   .weights = VecX::Ones(fit.distances.size())});
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

/// A type that is tried. Every pose has its own q, besides the parameters of the joint.
struct Trial {
  JointFit fit;
  double parameters;
  int dof;
  /// Distances from the joint that is fitted with other weights; null: from this one.
  std::function<VecX(const VecX& weights)> again = nullptr;

  /// Of one of six components of a pose, of those that count.
  double deviation() const {
    const double n = fit.weights.sum();
    const double freedom = 6 * n - parameters - dof * n;
    return freedom > 0.5 ? std::sqrt(fit.weights.dot(fit.distances.cwiseAbs2()) / freedom)
                         : INFINITY;
  }
};

/// The trial that knows best which poses lie far off. A pose far off a wrong type tells nothing.
const Trial& nearest(const std::vector<Trial>& trials) {
  size_t best = 0;
  for (size_t i = 1; i < trials.size(); ++i)
    if (trials[i].deviation() < trials[best].deviation()) best = i;
  return trials[best];
}

FittedCandidate candidate(const Trial& trial, const VecX& weights, double extent) {
  const bool own = trial.again == nullptr || weights == trial.fit.weights;
  const VecX d = own ? trial.fit.distances : trial.again(weights);
  const double n = weights.sum(), squares = weights.dot(d.cwiseAbs2());
  // Exact data leave rounding alone, which must not decide: a billionth of the motion is none.
  const double sum = squares + 6 * n * std::pow(1e-9 * extent, 2);
  return {trial.fit.type, std::sqrt(squares / n), (weights.array() > 0).select(d, 0).maxCoeff(),
          6 * n * std::log(sum) + (trial.parameters + trial.dof * n) * std::log(6 * n)};
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
  // Ṡq̇ is quadratic in q̇: directions 15° apart miss its largest length by a few per cent.
  constexpr int kDirections = 12;
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
      for (int k = 0; k < kDirections; ++k) {
        const double way = k * std::numbers::pi / kDirections;
        const std::array<double, 2> rate{range[0] * std::cos(way), range[1] * std::sin(way)};
        surface.evaluate(q, rate, motion);
        const Vec6 bend = motion.Sdot.col(0) * rate[0] + motion.Sdot.col(1) * rate[1];
        out.largest_bend = std::max(out.largest_bend, metric.length(bend));
      }
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
  const double extent = extent_of(poses, metric);
  const bool automatic = options.type == FittedType::automatic, robust = options.curve.robust;
  const FittedType spline = q.rows() == 2 ? FittedType::surface : FittedType::curve;
  const auto wanted = [&](FittedType type) {
    const bool tried = type != FittedType::curve && type != FittedType::surface;
    return options.type == type || (automatic && (tried || type == spline));
  };
  if (q.rows() > 0 && (options.type == FittedType::curve || options.type == FittedType::surface) &&
      options.type != spline)
    throw Error("fit", "the poses have " + std::to_string(q.rows()) + " coordinates",
                q.rows() == 1 ? "a surface has two: give q1 and q2, or find them"
                              : "a curve has one: ask for a surface, or find it");
  if (robust && wanted(FittedType::surface))
    throw Error("fit", "a surface has no robust fit",
                "leave out the poses that are far off, or ask for another type");
  std::vector<Trial> trials;
  const auto add_frames = [&](FittedType type, auto&& fit_frames, int dof) {
    FrameFit fit = fit_frames(poses, metric, {.robust = robust});
    const auto parameters = static_cast<double>(fit.parameters);
    trials.push_back({from_frames(type, std::move(fit)), parameters, dof});
    trials.back().again = [&poses, &metric, fit_frames](const VecX& weights) {
      return fit_frames(poses, metric, {.weights = weights}).distances;
    };
  };
  if (wanted(FittedType::hinge)) add_frames(FittedType::hinge, fit_hinge, 1);
  if (wanted(FittedType::universal)) add_frames(FittedType::universal, fit_universal, 2);
  std::string problem;  // of the curve
  if (wanted(FittedType::curve)) {
    CurveFitOptions own = options.curve;
    own.metric = metric.moved(options.E_JB);
    std::vector<Pose> moving;
    for (const Pose& pose : poses)
      moving.push_back(options.E_PJ.inverse() * pose * options.E_JB.inverse());
    try {
      CurveFit fit =
          q.size() == 0
              ? fit_curve(moving, own)
              : fit_curve(moving, std::vector<double>(q.data(), q.data() + q.size()), own);
      const double parameters = fit.parameters;
      // A q that is given counts as one that is found: the others had to find theirs.
      trials.push_back({from_curve(std::move(fit), options), parameters, 1});
    } catch (const Error& error) {
      // Poses of two coordinates are no curve: most would be ignored.
      if (!robust || !automatic) throw;
      problem = error.what();
    }
  }
  if (wanted(FittedType::surface)) {
    SurfaceFitOptions own = options.surface;
    own.metric = metric;
    SurfaceFit fit = q.size() == 0 ? fit_surface(poses, own) : fit_surface(poses, q, own);
    const double parameters = fit.parameters;
    trials.push_back({from_surface(std::move(fit), metric), parameters, 2});
  }
  const VecX weights = nearest(trials).fit.weights;
  std::vector<FittedCandidate> candidates;
  for (const Trial& trial : trials) candidates.push_back(candidate(trial, weights, extent));
  size_t best = 0;
  for (size_t i = 1; i < trials.size(); ++i)
    if (candidates[i].bic < candidates[best].bic) best = i;
  if (!problem.empty())
    candidates.push_back({.type = FittedType::curve, .bic = INFINITY, .problem = problem});
  JointFit out = std::move(trials[best].fit);
  out.candidates = std::move(candidates);
  add_errors(poses, out);
  return out;
}

}  // namespace sinew
