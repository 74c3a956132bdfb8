#pragma once

#include <array>
#include <string>

#include "sinew/muscles/wrap/cylinder_wrap.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {

/// A span around two infinite cylinders with parallel axes, along z of S: it may touch the first,
/// the second, both (in that order from o to i) or neither.
///
/// With circle j at the signed distance σ_j R_j to the left of each straight piece that touches it
/// (σ = 1: counter-clockwise), the headings of the pieces are
///     β_0 = arg(c_1 − O) − asin(σ_1 R_1/|c_1 − O|)
///     β_1 = arg(c_2 − c_1) − asin((σ_2 R_2 − σ_1 R_1)/|c_2 − c_1|)
///     β_2 = arg(I − c_2) + asin(σ_2 R_2/|I − c_2|)
/// and the angles wrapped φ_j = σ_j (β_j − β_{j−1}). Exact: R = r. Smooth: gap and angle are smooth
/// complements, in one unknown w_j for each circle that is touched,
///     R_j = r_j + e_j S(−w_j),     φ_j(R) = ε S(w_j),
/// S with unit band and e_j = ε times the reduced length of its two tangents: w ≤ −1 is a free
/// circle, w ≥ 1 an exact wrap.
struct DoubleCylinderWrap {
  static constexpr int kMaxPieces = 5;
  struct Circle {
    double x = 0, y = 0;  ///< point at which its axis crosses the plane z = 0
    double radius = 0;
    WrapSide side = WrapSide::counter_clockwise;  ///< not `nearest`
  };
  std::array<Circle, 2> circle;
  WrapKind model = WrapKind::smooth;
  double band = kDefaultBand;  ///< ε of the smooth model [rad]

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
  /// Only the length and its derivatives: outside the bands these are the tangents' directions.
  void length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i, double& length,
                       Vec3& dl_do, Vec3& dl_di) const;
};

/// Throws an Error naming the wrap `element` if parameters make no sense.
void validate(const DoubleCylinderWrap& wrap, const std::string& element);

}  // namespace sinew
