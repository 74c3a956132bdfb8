#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/report/report_geometry.hpp"

/// Pictures of what spline joints guide bodies along: curves, and the surfaces that a body's origin
/// sweeps.

namespace sinew {

/// Each curve once, with its control frames and the axes about which the body turns along it.
nlohmann::ordered_json describe_wires(const Skeleton& skeleton, ReportData& data);

/// Adds the surfaces that keep their shape to what is drawn of the bodies that they are fixed to.
void add_sheets(const Skeleton& skeleton, DrawnShapes& out);

/// The surfaces that deform; each is drawn by draw_sheets, in the same order.
std::vector<MovingShape> deforming_sheets(const Skeleton& skeleton);
/// Appends their points, world axes. Needs update_kinematics.
void draw_sheets(const SkeletonAt& in, std::vector<double>& points);

}  // namespace sinew
