#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "sinew/math/types.hpp"

/// Curves and surfaces that carry nodes. All of them are weighted sums of control points,
///     x = Σ_c w_c(u, v) y_c,   Σ_c w_c = 1,
/// whose weights depend on the node's own coordinates u and v alone. Derivation:
/// docs/theory/strands.md, §1.

namespace sinew {

/// What a curve does beyond its first and its last control point.
enum class CurveEnds {
  plain,    ///< continues straight
  wrapped,  ///< from the last control point back to the first, round and round
  capped,   ///< a limit holds the node between them
};

/// From control point to control point, with rounded corners: twice continuously differentiable.
struct PolylineCurve {
  CurveEnds ends = CurveEnds::plain;
  double rounding = 0.25;  ///< of the pieces beside a corner, the part that is bent: 0 to 1/2
};
/// A uniform cubic B-spline, which starts and ends in its first and last control point.
struct BSplineCurve {
  CurveEnds ends = CurveEnds::plain;
};
/// c + (a − c) cos u + (b − c) sin u, with control points c, a, b.
struct EllipseCurve {};
/// (a_x cos u cos v, a_y sin u cos v, a_z sin v) in the frame of four control points: an origin,
/// and the ends of three unit vectors that start there. Singular at v = ± π/2.
struct EllipsoidSurface {
  Vec3 semi_axes = Vec3::Ones();  ///< [m]
};
/// (r cos u, r sin u, v) in such a frame; v in m.
struct CylinderSurface {
  double radius = 1;
};
/// ((R + r cos v) cos u, (R + r cos v) sin u, r sin v) in such a frame.
struct TorusSurface {
  double ring = 1, tube = 0.25;  ///< R and r [m]
};
/// Cubic B-splines in u and in v over a grid of control points, row by row; it continues straight
/// beyond its borders.
struct BSplineSurface {
  int rows = 0, columns = 0;  ///< u counts rows
};
/// No coordinates: the control points at constant weights.
struct Blend {
  std::vector<double> weights;
};

using NodeShape = std::variant<PolylineCurve, BSplineCurve, EllipseCurve, EllipsoidSurface,
                               CylinderSurface, TorusSurface, BSplineSurface, Blend>;

/// How many coordinates a node on it has: 0, 1 or 2.
int coordinate_count(const NodeShape& shape);
/// "polyline", "b-spline", …
const char* name_of(const NodeShape& shape);
/// Throws an Error naming `element` where the shape makes no sense with so many control points.
void validate(const NodeShape& shape, size_t controls, const std::string& element);

/// The weight of a control point, and its derivatives by u and v.
struct NodeWeight {
  size_t control = 0;
  double w = 0;
  std::array<double, 2> d{};    ///< by u, v
  std::array<double, 3> dd{};   ///< by uu, uv, vv
  std::array<double, 4> ddd{};  ///< by uuu, uuv, uvv, vvv
};

/// Calls `use` for every control point whose weight may differ from zero at u; several times for
/// one control point if its weight is a sum.
class WeightVisitor {
 public:
  virtual void operator()(const NodeWeight& weight) = 0;

 protected:
  ~WeightVisitor() = default;
};
void visit_weights(const NodeShape& shape, size_t controls, const Eigen::Vector2d& u,
                   WeightVisitor& use);

/// The same for a function.
template <class F>
void for_each_weight(const NodeShape& shape, size_t controls, const Eigen::Vector2d& u, F&& f) {
  struct Caller final : WeightVisitor {
    explicit Caller(F& function) : call(function) {}
    void operator()(const NodeWeight& weight) override { call(weight); }
    F& call;
  } caller(f);
  visit_weights(shape, controls, u, caller);
}

}  // namespace sinew
