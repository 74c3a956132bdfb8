#include "sinew/model/joints/spline_joints.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sinew/math/so3.hpp"
#include "sinew/model/joints/product_of_exponentials.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

/// The three factors of span `basis.first`; φ_i = B̃_i.
std::array<ExponentialFactor, 3> curve_factors(const CubicBasis& basis,
                                               const std::vector<Vec6>& twists, Coordinates qdot) {
  std::array<ExponentialFactor, 3> factors;
  for (int i = 1; i <= 3; ++i) {
    const size_t j = static_cast<size_t>(basis.first + i) % twists.size();
    factors[i - 1] = {twists[j], JointFunctionValue::Univariate(0, basis.derivatives(i), qdot)};
  }
  return factors;
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

std::array<ExponentialFactor, 6> surface_factors(const std::array<MatX, 6>& grids,
                                                 const std::array<CubicBSpline, 2>& splines,
                                                 Coordinates q, Coordinates qdot) {
  const CubicBasis columns = splines[0].basis(q[0]), rows = splines[1].basis(q[1]);
  std::array<ExponentialFactor, 6> factors;
  for (int k = 0; k < 6; ++k) {
    const Vec6 e = k < 3 ? translation_twist(Vec3::Unit(k)) : rotation_twist(Vec3::Unit(k - 3));
    factors[k] = {e, surface_jet(tensor_product(columns, rows, grids[k]), qdot)};
  }
  return factors;
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
    twists_.push_back(log(frames_[(j + n - 1) % n].inverse() * frames_[j]));
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
  for (const Vec6& z : curve.twists_)
    distance.push_back(std::hypot(characteristic_length * z.head<3>().norm(), z.tail<3>().norm()));
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

void SplineCurve::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const CubicBasis basis = spline_.cumulative_basis(q[0]);
  evaluate_product(frames_[static_cast<size_t>(basis.first)], curve_factors(basis, twists_, qdot),
                   qdot, out);
}

void SplineCurve::differentiate(Coordinates q, Coordinates qdot,
                                JointMotionDerivatives& out) const {
  const CubicBasis basis = spline_.cumulative_basis(q[0]);
  differentiate_product(curve_factors(basis, twists_, qdot), qdot, out);
}

void SplineCurve::validate(const std::string& element) const {
  require(problem_.empty(), element, problem_, remedy_);
  const size_t n = frames_.size();
  double largest = 0;
  for (const Vec6& z : twists_) largest = std::max(largest, z.norm());
  for (size_t j = ends_ == SplineEnds::open ? 1 : 0; j < n; ++j)
    // Half a turn can be made either way round; only a frame between says which.
    require(twists_[j].head<3>().norm() < std::numbers::pi - 1e-6, element,
            "frames " + std::to_string(j == 0 ? n : j) + " and " + std::to_string(j + 1) +
                " of the spline curve are half a turn apart",
            "put a frame between them");
  for (size_t k = 0; k < static_cast<size_t>(spline_.spans()); ++k) {
    double length = 0;
    for (size_t i = 1; i <= 3; ++i) length = std::max(length, twists_[(k + i) % n].norm());
    // Relative to the whole curve: above the rounding of coinciding frames, below anything a person
    // would draw.
    require(length > 1e-12 * largest, element,
            "the spline curve stands still: frames " + std::to_string(k + 1) + " to " +
                std::to_string((k + 3) % n + 1) + " coincide",
            "leave out repeated frames");
  }
}

SplineSurface::SplineSurface(std::array<MatX, 6> grids, std::array<SplineEnds, 2> ends)
    : grids_(std::move(grids)) {
  if (grids_[0].rows() < 4 || grids_[0].cols() < 4) return;
  splines_ = {CubicBSpline::Uniform(static_cast<int>(grids_[0].cols()), ends[0]),
              CubicBSpline::Uniform(static_cast<int>(grids_[0].rows()), ends[1])};
}

void SplineSurface::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  evaluate_product(Pose(), surface_factors(grids_, splines_, q, qdot), qdot, out);
}

void SplineSurface::differentiate(Coordinates q, Coordinates qdot,
                                  JointMotionDerivatives& out) const {
  differentiate_product(surface_factors(grids_, splines_, q, qdot), qdot, out);
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
}

}  // namespace sinew
