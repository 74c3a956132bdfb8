#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sinew/math/bspline.hpp"
#include "sinew/math/scalar_function.hpp"
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
  const std::vector<Pose>& frames() const { return data_->frames; }
  /// Range and knots.
  const CubicBSpline& spline() const { return data_->spline; }

  int dof() const { return 1; }
  CoordinateKind kind(int) const {
    return data_->natural ? CoordinateKind::length : CoordinateKind::parameter;
  }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  struct Data {
    Data(std::vector<Pose> given, SplineEnds kind);
    void set_knots(const std::vector<double>& knots);

    std::vector<Pose> frames;
    std::vector<Screw> screws;  ///< of z_j; z₀ joins the last frame to the first, for loops only
    SplineEnds ends;
    CubicBSpline spline;  ///< empty if the parameters do not make one
    bool natural = false;
    std::string problem, remedy;  ///< defect of the parameters, if any
  };
  explicit SplineCurve(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
  bool reversed_ = false;
};

/// Two coordinates over a sheet of control values (Wang et al. 2019 section 5.3, Lee and
/// Terzopoulos 2008 section 5.2):
///     Q = Π_k exp(e_k f_k(q₁, q₂)),   k: translation along x, y, z, then rotation about x, y, z,
/// each f_k a tensor-product cubic B-spline over a grid of at least 4×4 values: q₁ runs along the
/// columns (second index), q₂ along the rows (first index), over spans of equal width. The
/// rotations are Euler angles xyz: keep the second well below π/2.
///
/// A surface that deforms has control values that are functions of time, and time as a third
/// coordinate, whose column of S is ξ = (Q⁻¹ ∂Q/∂t)ˇ. A system makes it follow the state's time
/// (CoordinateMap).
class SplineSurface {
 public:
  static constexpr const char* kTypeName = "spline-surface";

  /// The ranges of q₁ and of q₂: where each begins and ends.
  using Ranges = std::array<std::array<double, 2>, 2>;

  /// Control values that are added to the grids, f(t) times.
  struct Change {
    std::array<MatX, 6> grids;
    ScalarFunction f;  ///< of t [s]
  };

  /// Grids of x, y, z [m] and of the rotations about x, y, z [rad], all of the same size. ends[0]
  /// is for q₁, ends[1] for q₂. Without ranges there is one unit per span, from 0.
  explicit SplineSurface(std::array<MatX, 6> grids,
                         std::array<SplineEnds, 2> ends = {SplineEnds::open, SplineEnds::open},
                         std::optional<Ranges> ranges = std::nullopt);

  /// The joint seen from its other side: Q(q)⁻¹.
  SplineSurface reversed() const;
  bool is_reversed() const { return reversed_; }

  /// The same joint with control values grids + Σ_m f_m(t) changes_m: three coordinates, q₁, q₂, t.
  SplineSurface deforming(std::vector<Change> changes) const;

  const std::array<MatX, 6>& grids() const { return data_->grids; }
  const std::vector<Change>& changes() const { return data_->changes; }
  /// The range of q₁ and of q₂.
  const std::array<CubicBSpline, 2>& splines() const { return data_->splines; }

  int dof() const { return changes().empty() ? 2 : 3; }
  CoordinateKind kind(int k) const {
    return k < 2 ? CoordinateKind::parameter : CoordinateKind::time;
  }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  std::array<ExponentialFactor, 6> factors(Coordinates q, Coordinates qdot) const;

  struct Data {
    std::array<MatX, 6> grids;
    std::vector<Change> changes;
    std::array<CubicBSpline, 2> splines;  ///< empty if a grid is too small or a range has no width
  };
  std::shared_ptr<const Data> data_;
  bool reversed_ = false;
};

static_assert(JointType<SplineCurve> && JointType<SplineSurface>);

}  // namespace sinew
