#pragma once

#include "sinew/strands/node_shape.hpp"

namespace sinew::test {

/// Every shape that carries nodes, with the number of its control points.
struct ShapeExample {
  const char* name;
  NodeShape shape;
  size_t controls;
};

inline std::vector<ShapeExample> shape_examples() {
  return {{"polyline", PolylineCurve{CurveEnds::plain, 0.5}, 4},
          {"wrapped polyline", PolylineCurve{CurveEnds::wrapped, 0.5}, 3},
          {"b-spline", BSplineCurve{}, 4},
          {"wrapped b-spline", BSplineCurve{CurveEnds::wrapped}, 3},
          {"ellipse", EllipseCurve{}, 3},
          {"ellipsoid", EllipsoidSurface{{0.4, 0.5, 0.7}}, 4},
          {"cylinder", CylinderSurface{0.4}, 4},
          {"torus", TorusSurface{0.6, 0.2}, 4},
          {"patch", BSplineSurface{3, 3}, 9},
          {"blend", Blend{{0.3, 0.9, -0.2}}, 3}};
}

}  // namespace sinew::test
