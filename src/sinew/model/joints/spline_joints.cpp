#include "sinew/model/joints/spline_joints.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sinew/math/so3.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

/// A curve at one q: Q, S and its first two derivatives, the second if asked for.
struct CurveMotion {
  Pose Q;
  Vec6 S = Vec6::Zero(), dS = S, ddS = S;
};

// With A = Ad(exp(z φ))⁻¹, whose product with x has the derivative A (x′ + ad(x) z φ′), S and its
// derivatives follow factor by factor:
//     S ← z φ′ + A S,   S′ ← z φ″ + A y,   y = S′ + ad(S) z φ′,
//     S″ ← z φ‴ + A (S″ + ad(S′) z φ′ + ad(S) z φ″ + ad(y) z φ′).
// This is the kernel of product_of_exponentials.hpp for one coordinate, without its loops.
template <bool second>
CurveMotion curve_motion(const CubicBasis& basis, const std::vector<Pose>& frames,
                         const std::vector<Screw>& screws) {
  const auto first = static_cast<size_t>(basis.first);
  CurveMotion out{.Q = frames[first]};
  for (size_t i = 1; i <= 3; ++i) {
    size_t j = first + i;
    if (j >= screws.size()) j -= screws.size();
    const Screw& screw = screws[j];
    const Vec6& z = screw.twist();
    const double d1 = basis.d[1][i], d2 = basis.d[2][i];
    const Pose E = screw.at(basis.d[0][i]);
    out.Q = out.Q * E;
    if (i > 1) {
      const Vec6 S_z = ad_times(out.S, z), y = out.dS + S_z * d1;
      if constexpr (second)
        out.ddS = Ad_inverse_times(E, out.ddS + S_z * d2 + ad_times(out.dS + y, z) * d1);
      out.S = Ad_inverse_times(E, out.S);
      out.dS = Ad_inverse_times(E, y);
    }
    out.S += z * d1;
    out.dS += z * d2;
    if constexpr (second) out.ddS += z * basis.d[3][i];
  }
  return out;
}

/// Knots whose spans have these widths, from 0; an open spline also gets three knots on either
/// side, as far apart as the outermost distances.
std::vector<double> knots_from_distances(const std::vector<double>& distance, SplineEnds ends) {
  const size_t n = distance.size();  // distance[j]: from frame j − 1 to frame j
  std::vector<double> width;
  if (ends == SplineEnds::cyclic) {
    for (size_t k = 0; k < n; ++k) width.push_back(distance[(k + 2) % n]);
  } else {
    width.assign(2, distance[1]);
    width.insert(width.end(), distance.begin() + 1, distance.end());
    width.insert(width.end(), 2, distance[n - 1]);
  }
  std::vector<double> knots{ends == SplineEnds::cyclic ? 0 : -3 * distance[1]};
  for (const double w : width) knots.push_back(knots.back() + w);
  if (ends == SplineEnds::open) knots[3] = 0;
  return knots;
}

}  // namespace

namespace {

struct Speed {
  double q = 0, value = 0;
};
/// The least |S| over the range: the least of samples, and between the neighbours of each sample
/// that is lower than they are.
Speed least_speed(const SplineCurve& curve, double& largest) {
  constexpr int kPerSpan = 16, kSections = 60;
  constexpr double kGolden = 0.6180339887498949;
  const CubicBSpline& spline = curve.spline();
  const auto speed = [&](double q) {
    const double unit = 1;
    JointMotion motion;
    curve.evaluate({&q, 1}, {&unit, 1}, motion);
    return motion.S.norm();
  };
  const int samples = kPerSpan * spline.spans();
  const double step = (spline.end() - spline.begin()) / samples;
  std::vector<double> values;
  for (int k = 0; k <= samples; ++k) values.push_back(speed(spline.begin() + k * step));
  Speed least{spline.begin(), values.front()};
  const auto take = [&](double q, double value) {
    if (value < least.value) least = {q, value};
  };
  for (size_t k = 0; k < values.size(); ++k) {
    const double q = spline.begin() + static_cast<double>(k) * step;
    take(q, values[k]);
    largest = std::max(largest, values[k]);
    if (k == 0 || k + 1 == values.size()) continue;
    if (values[k] > values[k - 1] || values[k] > values[k + 1]) continue;
    double a = q - step, b = q + step;
    for (int i = 0; i < kSections; ++i) {
      const double low = b - kGolden * (b - a), high = a + kGolden * (b - a);
      if (speed(low) < speed(high))
        b = high;
      else
        a = low;
    }
    take(0.5 * (a + b), speed(0.5 * (a + b)));
  }
  return least;
}

}  // namespace

SplineCurve::Data::Data(std::vector<Pose> given, SplineEnds kind)
    : frames(std::move(given)), ends(kind) {
  const size_t n = frames.size();
  if (n < 4) {
    problem = "spline curve has " + std::to_string(n) + " frames";
    remedy = "give at least four";
    return;
  }
  for (size_t j = 0; j < n; ++j) {
    Pose& frame = frames[j];
    if (!frame.p.allFinite() || !(rotation_defect(frame.R) <= kRotationTolerance)) {
      problem = "frame " + std::to_string(j + 1) + " of the spline curve is not a rigid motion";
      remedy = "give a position and a rotation matrix (orthonormal, determinant 1)";
      return;
    }
    frame.R = orthonormalized(frame.R);
  }
  for (size_t j = 0; j < n; ++j)
    screws.emplace_back(log(frames[(j + n - 1) % n].inverse() * frames[j]));
}

SplineCurve SplineCurve::Uniform(std::vector<Pose> frames, SplineEnds ends) {
  auto data = std::make_shared<Data>(std::move(frames), ends);
  if (data->problem.empty())
    data->spline = CubicBSpline::Uniform(static_cast<int>(data->frames.size()), ends);
  return SplineCurve(std::move(data));
}

SplineCurve SplineCurve::WithKnots(std::vector<Pose> frames, SplineEnds ends,
                                   const std::vector<double>& knots) {
  auto data = std::make_shared<Data>(std::move(frames), ends);
  data->set_knots(knots);
  return SplineCurve(std::move(data));
}

SplineCurve SplineCurve::Natural(std::vector<Pose> frames, SplineEnds ends,
                                 double characteristic_length) {
  auto data = std::make_shared<Data>(std::move(frames), ends);
  data->natural = true;
  if (!data->problem.empty()) return SplineCurve(std::move(data));
  if (!(characteristic_length > 0) || !std::isfinite(characteristic_length)) {
    data->problem = "characteristic length is not positive";
    data->remedy = "give the length that makes rotation comparable with translation";
    return SplineCurve(std::move(data));
  }
  std::vector<double> distance;
  for (const Screw& screw : data->screws)
    distance.push_back(std::hypot(characteristic_length * screw.twist().head<3>().norm(),
                                  screw.twist().tail<3>().norm()));
  data->set_knots(knots_from_distances(distance, ends));
  return SplineCurve(std::move(data));
}

void SplineCurve::Data::set_knots(const std::vector<double>& knots) {
  if (!problem.empty()) return;
  const int n = static_cast<int>(frames.size());
  problem = CubicBSpline::knot_defect(n, ends, knots);
  remedy = natural ? "let no two neighbouring frames coincide"
                   : "give increasing knots: frames + 4 of an open curve, frames + 1 of a loop";
  if (problem.empty()) spline = CubicBSpline(n, ends, knots);
}

SplineCurve SplineCurve::reversed() const {
  SplineCurve out = *this;
  out.reversed_ = !reversed_;
  return out;
}

void SplineCurve::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const CurveMotion at =
      curve_motion<false>(spline().cumulative_basis(q[0]), frames(), data_->screws);
  out.Q = at.Q;
  out.S = at.S;
  out.Sdot = at.dS * qdot[0];
  // Of the inverse, S becomes −Ad(Q) S, and since d(Ad(Q) x)/dq = Ad(Q) (x′ + ad(S) x) and
  // ad(S) S = 0, so does S′.
  if (!reversed_) return;
  out.S = -Ad_times(at.Q, at.S);
  out.Sdot = -Ad_times(at.Q, at.dS) * qdot[0];
  out.Q = at.Q.inverse();
}

void SplineCurve::differentiate(Coordinates q, Coordinates qdot,
                                JointMotionDerivatives& out) const {
  const CurveMotion at =
      curve_motion<true>(spline().cumulative_basis(q[0]), frames(), data_->screws);
  const double square = qdot[0] * qdot[0];
  out.dS[0] = at.dS;
  out.dSdot_qdot = at.ddS * square;
  if (!reversed_) return;
  out.dS[0] = -Ad_times(at.Q, at.dS);
  out.dSdot_qdot = -Ad_times(at.Q, at.ddS + ad_times(at.S, at.dS)) * square;
}

void SplineCurve::validate(const std::string& element) const {
  require(data_->problem.empty(), element, data_->problem, data_->remedy);
  const std::vector<Screw>& screws = data_->screws;
  const size_t n = frames().size();
  double largest = 0;
  for (const Screw& screw : screws) largest = std::max(largest, screw.twist().norm());
  for (size_t j = data_->ends == SplineEnds::open ? 1 : 0; j < n; ++j)
    // Half a turn can be made either way round; only a frame between says which.
    require(screws[j].twist().head<3>().norm() < std::numbers::pi - 1e-6, element,
            "frames " + std::to_string(j == 0 ? n : j) + " and " + std::to_string(j + 1) +
                " of the spline curve are half a turn apart",
            "put a frame between them");
  for (size_t k = 0; k < static_cast<size_t>(spline().spans()); ++k) {
    double length = 0;
    for (size_t i = 1; i <= 3; ++i) length = std::max(length, screws[(k + i) % n].twist().norm());
    // Relative to the whole curve: above the rounding of coinciding frames, below anything a person
    // would draw.
    require(length > 1e-12 * largest, element,
            "the spline curve stands still: frames " + std::to_string(k + 1) + " to " +
                std::to_string((k + 3) % n + 1) + " coincide",
            "leave out repeated frames");
  }
  // No force moves a joint whose S vanishes. Far above rounding, far below what a person would
  // draw.
  double fastest = 0;
  const Speed slowest = least_speed(*this, fastest);
  require(slowest.value > 1e-7 * fastest, element,
          "the spline curve stands still at q = " + std::to_string(slowest.q),
          "let it not turn back on itself there: move a frame");
}

}  // namespace sinew
