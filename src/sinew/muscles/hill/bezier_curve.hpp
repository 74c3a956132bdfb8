#pragma once

#include <array>
#include <vector>

namespace sinew {

/// Value and derivatives of a curve at one point.
struct CurvePoint {
  double y = 0, dy = 0, d2y = 0;
};

/// A C² curve y(x) made of quintic Bézier sections, straight outside its knots (Millard et al.
/// 2013, appendix). Every section turns from one slope to another: its control points are its two
/// ends and, each twice, two points on the way to the corner where the end tangents meet. That each
/// inner point counts twice makes x″ = y″ = 0 at the ends, so sections join with zero curvature.
class BezierCurve {
 public:
  struct Knot {
    double x, y, slope;
  };
  /// One section between neighbouring knots, x increasing. `curviness`, one for each section, in
  /// [0, 1]: the distance of the inner points towards the corner, from 0.1 to 0.9 of the way.
  /// Throws an Error naming the curve `name` if two tangents do not meet between their knots.
  BezierCurve(const char* name, const std::vector<Knot>& knots,
              const std::vector<double>& curviness);

  CurvePoint at(double x) const;
  /// x at which the curve has the value y; dy and d2y are derivatives of the inverse. The curve
  /// must be strictly increasing.
  CurvePoint inverse(double y) const;

 private:
  static constexpr int kPieces = 12;
  /// Four control values of a coordinate that the six points use: ends, and the two inner ones.
  struct Section {
    double x[4], y[4];
    /// The parameter u and its slope du/dξ at which ξ, linear in x from 0 to 1, is k/kPieces.
    std::array<double, 2 * (kPieces + 1)> guess;
  };
  static Section make_section(const double (&x)[4], const double (&y)[4]);
  static double guess(const Section& section, double x);
  CurvePoint evaluate(double x, bool inverse) const;
  std::vector<Section> sections_;
  double slope_before_, slope_after_;
};

}  // namespace sinew
