#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/joint.hpp"

/// Joints whose shape is data: splines and functions.

namespace sinew {

SplineCurve read_spline_curve(const ObjectReader& in);
SplineSurface read_spline_surface(const ObjectReader& in);
FunctionJoint read_function_joint(const ObjectReader& in);

/// SI value of the file's unit of a coordinate.
inline double coordinate_unit(const Units& units, CoordinateKind kind) {
  return kind == CoordinateKind::length ? units.length : 1;
}

}  // namespace sinew
