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

/// The six functions of a surface at one q, and their first and second derivatives.
struct SheetValues {
  Vec6 f, f_1, f_2, f_11, f_12, f_22;
};

SheetValues sheet_values(const std::array<MatX, 6>& grids, const CubicBasis& columns,
                         const CubicBasis& rows) {
  std::array<Eigen::Index, 4> row, column;
  for (int i = 0; i < 4; ++i) {
    row[static_cast<size_t>(i)] = (rows.first + i) % grids[0].rows();
    column[static_cast<size_t>(i)] = (columns.first + i) % grids[0].cols();
  }
  SheetValues out;
  for (size_t k = 0; k < 6; ++k) {
    std::array<double, 6> sum{};
    for (size_t i = 0; i < 4; ++i) {
      double d0 = 0, d1 = 0, d2 = 0;  // by q₁, along this row
      for (size_t j = 0; j < 4; ++j) {
        const double value = grids[k](row[i], column[j]);
        d0 += columns.d[0][j] * value;
        d1 += columns.d[1][j] * value;
        d2 += columns.d[2][j] * value;
      }
      sum[0] += rows.d[0][i] * d0;
      sum[1] += rows.d[0][i] * d1;
      sum[2] += rows.d[1][i] * d0;
      sum[3] += rows.d[0][i] * d2;
      sum[4] += rows.d[1][i] * d1;
      sum[5] += rows.d[2][i] * d0;
    }
    const auto at = static_cast<Eigen::Index>(k);
    out.f[at] = sum[0], out.f_1[at] = sum[1], out.f_2[at] = sum[2];
    out.f_11[at] = sum[3], out.f_12[at] = sum[4], out.f_22[at] = sum[5];
  }
  return out;
}

/// f(q₁, q₂) from its partial derivatives f_ab, and Σ_jk f_ijk q̇_j q̇_k from the third ones.
JointFunctionValue surface_jet(const std::array<std::array<double, 4>, 4>& f, Coordinates qdot) {
  const double a = qdot[0], b = qdot[1];
  JointFunctionValue jet;
  jet.value = f[0][0];
  jet.gradient = {f[1][0], f[0][1]};
  jet.hessian[0] = {f[2][0], f[1][1]};
  jet.hessian[1] = {f[1][1], f[0][2]};
  jet.third = {f[3][0] * a * a + 2 * f[2][1] * a * b + f[1][2] * b * b,
               f[2][1] * a * a + 2 * f[1][2] * a * b + f[0][3] * b * b};
  return jet;
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

SplineCurve::SplineCurve(std::vector<Pose> frames, SplineEnds ends)
    : frames_(std::move(frames)), ends_(ends) {
  const size_t n = frames_.size();
  if (n < 4) {
    problem_ = "spline curve has " + std::to_string(n) + " frames";
    remedy_ = "give at least four";
    return;
  }
  for (size_t j = 0; j < n; ++j) {
    Pose& frame = frames_[j];
    if (!frame.p.allFinite() || !(rotation_defect(frame.R) <= kRotationTolerance)) {
      problem_ = "frame " + std::to_string(j + 1) + " of the spline curve is not a rigid motion";
      remedy_ = "give a position and a rotation matrix (orthonormal, determinant 1)";
      return;
    }
    frame.R = orthonormalized(frame.R);
  }
  for (size_t j = 0; j < n; ++j)
    screws_.emplace_back(log(frames_[(j + n - 1) % n].inverse() * frames_[j]));
}

SplineCurve SplineCurve::Uniform(std::vector<Pose> frames, SplineEnds ends) {
  SplineCurve curve(std::move(frames), ends);
  if (curve.problem_.empty())
    curve.spline_ = CubicBSpline::Uniform(static_cast<int>(curve.frames_.size()), ends);
  return curve;
}

SplineCurve SplineCurve::WithKnots(std::vector<Pose> frames, SplineEnds ends,
                                   const std::vector<double>& knots) {
  SplineCurve curve(std::move(frames), ends);
  curve.set_knots(knots);
  return curve;
}

SplineCurve SplineCurve::Natural(std::vector<Pose> frames, SplineEnds ends,
                                 double characteristic_length) {
  SplineCurve curve(std::move(frames), ends);
  curve.natural_ = true;
  if (!curve.problem_.empty()) return curve;
  if (!(characteristic_length > 0) || !std::isfinite(characteristic_length)) {
    curve.problem_ = "characteristic length is not positive";
    curve.remedy_ = "give the length that makes rotation comparable with translation";
    return curve;
  }
  std::vector<double> distance;
  for (const Screw& screw : curve.screws_)
    distance.push_back(std::hypot(characteristic_length * screw.twist().head<3>().norm(),
                                  screw.twist().tail<3>().norm()));
  curve.set_knots(knots_from_distances(distance, ends));
  return curve;
}

void SplineCurve::set_knots(const std::vector<double>& knots) {
  if (!problem_.empty()) return;
  const int n = static_cast<int>(frames_.size());
  problem_ = CubicBSpline::knot_defect(n, ends_, knots);
  remedy_ = natural_ ? "let no two neighbouring frames coincide"
                     : "give increasing knots: frames + 4 of an open curve, frames + 1 of a loop";
  if (problem_.empty()) spline_ = CubicBSpline(n, ends_, knots);
}

SplineCurve SplineCurve::reversed() const {
  SplineCurve out = *this;
  out.reversed_ = !reversed_;
  return out;
}

void SplineCurve::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const CurveMotion at = curve_motion<false>(spline_.cumulative_basis(q[0]), frames_, screws_);
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
  const CurveMotion at = curve_motion<true>(spline_.cumulative_basis(q[0]), frames_, screws_);
  const double square = qdot[0] * qdot[0];
  out.dS[0] = at.dS;
  out.dSdot_qdot = at.ddS * square;
  if (!reversed_) return;
  out.dS[0] = -Ad_times(at.Q, at.dS);
  out.dSdot_qdot = -Ad_times(at.Q, at.ddS + ad_times(at.S, at.dS)) * square;
}

void SplineCurve::validate(const std::string& element) const {
  require(problem_.empty(), element, problem_, remedy_);
  const size_t n = frames_.size();
  double largest = 0;
  for (const Screw& screw : screws_) largest = std::max(largest, screw.twist().norm());
  for (size_t j = ends_ == SplineEnds::open ? 1 : 0; j < n; ++j)
    // Half a turn can be made either way round; only a frame between says which.
    require(screws_[j].twist().head<3>().norm() < std::numbers::pi - 1e-6, element,
            "frames " + std::to_string(j == 0 ? n : j) + " and " + std::to_string(j + 1) +
                " of the spline curve are half a turn apart",
            "put a frame between them");
  for (size_t k = 0; k < static_cast<size_t>(spline_.spans()); ++k) {
    double length = 0;
    for (size_t i = 1; i <= 3; ++i) length = std::max(length, screws_[(k + i) % n].twist().norm());
    // Relative to the whole curve: above the rounding of coinciding frames, below anything a person
    // would draw.
    require(length > 1e-12 * largest, element,
            "the spline curve stands still: frames " + std::to_string(k + 1) + " to " +
                std::to_string((k + 3) % n + 1) + " coincide",
            "leave out repeated frames");
  }
}

SplineSurface::SplineSurface(std::array<MatX, 6> grids, std::array<SplineEnds, 2> ends,
                             std::optional<Ranges> ranges)
    : grids_(std::move(grids)) {
  if (grids_[0].rows() < 4 || grids_[0].cols() < 4) return;
  const std::array<int, 2> n{static_cast<int>(grids_[0].cols()),
                             static_cast<int>(grids_[0].rows())};
  if (!ranges) {
    splines_ = {CubicBSpline::Uniform(n[0], ends[0]), CubicBSpline::Uniform(n[1], ends[1])};
    return;
  }
  for (const auto& [begin, end] : *ranges)
    if (!(begin < end) || !std::isfinite(end - begin)) return;
  for (size_t k = 0; k < 2; ++k)
    splines_[k] = CubicBSpline::Even((*ranges)[k][0], (*ranges)[k][1], n[k], ends[k]);
}

SplineSurface SplineSurface::reversed() const {
  SplineSurface out = *this;
  out.reversed_ = !reversed_;
  return out;
}

/// Of the inverse: the opposite factors in the opposite order.
std::array<ExponentialFactor, 6> SplineSurface::factors(Coordinates q, Coordinates qdot) const {
  const CubicBasis columns = splines_[0].basis(q[0]), rows = splines_[1].basis(q[1]);
  std::array<ExponentialFactor, 6> out;
  for (size_t k = 0; k < 6; ++k) {
    const Vec3 axis = Vec3::Unit(static_cast<int>(k % 3));
    const Vec6 e = k < 3 ? translation_twist(axis) : rotation_twist(axis);
    const JointFunctionValue f = surface_jet(tensor_product(columns, rows, grids_[k]), qdot);
    if (reversed_)
      out[5 - k] = {-e, f};
    else
      out[k] = {e, f};
  }
  return out;
}

// The twist of Trans(t) R_x(a) R_y(b) R_z(c) is ω = W (ȧ, ḃ, ċ), v = Rᵀṫ, with the columns of W the
// axes of the three rotations as the moving frame sees them.
void SplineSurface::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const SheetValues at = sheet_values(grids_, splines_[0].basis(q[0]), splines_[1].basis(q[1]));
  const Mat3 Rz = rotation_about(Vec3::UnitZ(), at.f[5]);
  const Mat3 Ryz = rotation_about(Vec3::UnitY(), at.f[4]) * Rz;
  const Mat3 R = rotation_about(Vec3::UnitX(), at.f[3]) * Ryz;
  Mat3 W;
  W << Ryz.row(0).transpose(), Rz.row(1).transpose(), Vec3::UnitZ();
  const Vec6 rate = at.f_1 * qdot[0] + at.f_2 * qdot[1];
  const Vec3 omega = W * rate.tail<3>();
  // Each axis is carried by the rotations behind it.
  const Vec3 behind_x = W.col(1) * rate[4] + W.col(2) * rate[5], behind_y = W.col(2) * rate[5];
  Mat3 Wdot;
  Wdot << W.col(0).cross(behind_x), W.col(1).cross(behind_y), Vec3::Zero();
  out.Q = {R, at.f.head<3>()};
  out.S.resize(6, 2);
  out.Sdot.resize(6, 2);
  const auto fill = [&](Eigen::Index i, const Vec6& by, const Vec6& by_rate) {
    const Vec3 v = R.transpose() * by.head<3>();
    out.S.col(i) << W * by.tail<3>(), v;
    out.Sdot.col(i) << Wdot * by.tail<3>() + W * by_rate.tail<3>(),
        R.transpose() * by_rate.head<3>() - omega.cross(v);
  };
  fill(0, at.f_1, at.f_11 * qdot[0] + at.f_12 * qdot[1]);
  fill(1, at.f_2, at.f_12 * qdot[0] + at.f_22 * qdot[1]);
  if (!reversed_) return;
  // Of the inverse: S becomes −Ad(Q) S.
  const Vec6 twist = out.S.col(0) * qdot[0] + out.S.col(1) * qdot[1];
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Vec6 S = out.S.col(i), Sdot = out.Sdot.col(i);
    out.S.col(i) = -Ad_times(out.Q, S);
    out.Sdot.col(i) = -Ad_times(out.Q, Sdot + ad_times(twist, S));
  }
  out.Q = out.Q.inverse();
}

void SplineSurface::differentiate(Coordinates q, Coordinates qdot,
                                  JointMotionDerivatives& out) const {
  differentiate_product(factors(q, qdot), qdot, out);
}

void SplineSurface::validate(const std::string& element) const {
  constexpr const char* kNames[] = {"x", "y", "z", "rotation x", "rotation y", "rotation z"};
  for (size_t k = 0; k < 6; ++k) {
    const MatX& grid = grids_[k];
    const std::string name = std::string("the grid of ") + kNames[k];
    require(grid.rows() >= 4 && grid.cols() >= 4, element, name + " is smaller than 4 x 4",
            "give at least four rows of four values");
    require(grid.rows() == grids_[0].rows() && grid.cols() == grids_[0].cols(), element,
            name + " differs in size from that of x", "give six grids of the same size");
    require(grid.allFinite(), element, name + " has a value that is not finite",
            "give finite numbers");
  }
  require(splines_[0].spans() > 0, element, "a range of the spline surface has no width",
          "give ranges that end above where they begin");
}

}  // namespace sinew
