#pragma once

#include <optional>
#include <vector>

#include "sinew/math/bspline.hpp"
#include "sinew/math/screw.hpp"
#include "sinew/model/joint_motion.hpp"
#include "sinew/model/joints/product_of_exponentials.hpp"

/// Joints that follow measured or drawn motions (Lee and Terzopoulos 2008 section 5). Everything
/// that depends on the control data alone is worked out when the joint is made; evaluation
/// allocates nothing.

namespace sinew {

/// One coordinate along a cubic B-spline of rigid frames, in cumulative form (Lee and Terzopoulos
/// 2008 Eq 24): on span k,
///     Q(q) = C_k Π_{i=1..3} exp(z_{k+i} B̃_i(q)),   z_j = log(C_{j−1}⁻¹ C_j),
/// frames counted from 0, around the loop if cyclic. Like every B-spline it passes near its frames,
/// not through them. An open curve goes on beyond its range as the end span's polynomial; a cyclic
/// one repeats, so q is unbounded in both.
class SplineCurve {
 public:
  static constexpr const char* kTypeName = "spline-curve";

  /// Spans of length 1: q = k at the start of span k.
  static SplineCurve Uniform(std::vector<Pose> frames, SplineEnds ends);
  /// The knots are those that CubicBSpline takes.
  static SplineCurve WithKnots(std::vector<Pose> frames, SplineEnds ends,
                               const std::vector<double>& knots);
  /// Natural parameterisation (Lee and Terzopoulos 2008 section 6.1): the knots are as far apart as
  /// the frames, so that q measures distance travelled, |s(q)| ≈ 1. Distance between two frames is
  ///     √(ℓ²|ω|² + |v|²),   (ω; v) = log(C_{j−1}⁻¹ C_j),
  /// ℓ the characteristic length that makes rotation comparable with translation: about how far
  /// from the joint the body reaches. Span k gets the distance of its two middle frames, k+1 and
  /// k+2, between which the curve then is. q is a length [m], from 0.
  static SplineCurve Natural(std::vector<Pose> frames, SplineEnds ends,
                             double characteristic_length);

  /// The joint seen from its other side, Q(q)⁻¹: exact, unlike a curve through inverted frames.
  SplineCurve reversed() const;
  bool is_reversed() const { return reversed_; }

  /// As given; Q(q) follows them, or Q(q)⁻¹ if the curve is reversed.
  const std::vector<Pose>& frames() const { return frames_; }
  /// Range and knots.
  const CubicBSpline& spline() const { return spline_; }

  int dof() const { return 1; }
  CoordinateKind kind(int) const {
    return natural_ ? CoordinateKind::length : CoordinateKind::parameter;
  }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  SplineCurve(std::vector<Pose> frames, SplineEnds ends);
  void set_knots(const std::vector<double>& knots);

  std::vector<Pose> frames_;
  std::vector<Screw> screws_;  ///< of z_j; z₀ joins the last frame to the first, for loops only
  SplineEnds ends_;
  CubicBSpline spline_;  ///< empty if the parameters do not make one
  bool natural_ = false;
  bool reversed_ = false;
  std::string problem_, remedy_;  ///< defect of the parameters, if any
};

/// Two coordinates over a sheet of control values (Wang et al. 2019 section 5.3, Lee and
/// Terzopoulos 2008 section 5.2):
///     Q = Π_k exp(e_k f_k(q₁, q₂)),   k: translation along x, y, z, then rotation about x, y, z,
/// each f_k a tensor-product cubic B-spline over a grid of at least 4×4 values: q₁ runs along the
/// columns (second index), q₂ along the rows (first index), over spans of equal width. The
/// rotations are Euler angles xyz: keep the second well below π/2.
class SplineSurface {
 public:
  static constexpr const char* kTypeName = "spline-surface";

  /// The ranges of q₁ and of q₂: where each begins and ends.
  using Ranges = std::array<std::array<double, 2>, 2>;

  /// Grids of x, y, z [m] and of the rotations about x, y, z [rad], all of the same size. ends[0]
  /// is for q₁, ends[1] for q₂. Without ranges there is one unit per span, from 0.
  explicit SplineSurface(std::array<MatX, 6> grids,
                         std::array<SplineEnds, 2> ends = {SplineEnds::open, SplineEnds::open},
                         std::optional<Ranges> ranges = std::nullopt);

  /// The joint seen from its other side: Q(q)⁻¹.
  SplineSurface reversed() const;
  bool is_reversed() const { return reversed_; }

  const std::array<MatX, 6>& grids() const { return grids_; }
  /// The range of q₁ and of q₂.
  const std::array<CubicBSpline, 2>& splines() const { return splines_; }

  int dof() const { return 2; }
  CoordinateKind kind(int) const { return CoordinateKind::parameter; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  std::array<ExponentialFactor, 6> factors(Coordinates q, Coordinates qdot) const;

  std::array<MatX, 6> grids_;
  std::array<CubicBSpline, 2> splines_;  ///< empty if a grid is too small or a range has no width
  bool reversed_ = false;
};

static_assert(JointType<SplineCurve> && JointType<SplineSurface>);

}  // namespace sinew
