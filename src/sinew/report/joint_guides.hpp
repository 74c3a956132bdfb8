#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/report/report_geometry.hpp"

/// Pictures of what spline joints, and those in series with others, guide bodies along: curves, and
/// the surfaces that a body's origin sweeps.

namespace sinew {

/// Each curve that is fixed to a body once, with its control frames and the axes about which what
/// moves along it turns. A reversed curve is fixed to the child.
nlohmann::ordered_json describe_wires(const Skeleton& skeleton, ReportData& data);

/// Adds the surfaces that keep their shape to what is drawn of the bodies that they are fixed to.
void add_sheets(const Skeleton& skeleton, DrawnShapes& out);

/// The surfaces that deform, and curves and surfaces that other parts of a joint carry; each is
/// drawn by draw_moving_guides, in the same order.
std::vector<MovingShape> moving_guides(const Skeleton& skeleton);
/// Appends their points, world axes. Needs update_kinematics.
void draw_moving_guides(const SkeletonAt& in, std::vector<double>& points);

}  // namespace sinew
