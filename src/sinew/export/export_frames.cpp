#include "sinew/export/export_frames.hpp"

#include "sinew/analysis/drawing/muscle_drawing.hpp"
#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace {

/// Deals the points of one frame out to the lines that they belong to.
template <class Counts>
void deal_points(const std::vector<double>& points, const Counts& counts,
                 std::vector<LineFrames>& out) {
  size_t at = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    std::vector<Vec3>& line = out[k].emplace_back();
    for (int i = 0; i < counts[k]; ++i, at += 3)
      line.emplace_back(points[at], points[at + 1], points[at + 2]);
  }
}

}  // namespace

ExportFrames export_frames(const System& system, const ReportMotion& motion,
                           const std::vector<size_t>& rows,
                           const std::function<void(double, double)>& progress) {
  const std::vector<int> muscle_points = drawing_points(system);
  std::vector<int> line_points;
  for (const MovingShape& line : drawn_lines(system)) line_points.push_back(line.points);
  ExportFrames out;
  out.bodies.resize(static_cast<size_t>(system.skeleton().body_count()));
  out.muscles.resize(muscle_points.size());
  out.lines.resize(line_points.size());
  for (const MovingShape& surface : drawn_surfaces(system))
    out.surfaces.emplace_back(3 * surface.points, static_cast<Eigen::Index>(rows.size()));
  FrameDrawer drawer(system);
  DrawnFrame frame;
  for (size_t f = 0; f < rows.size(); ++f) {
    const State state = state_at(motion, rows[f]);
    drawer.update(state, system.controls(), frame);
    out.t.push_back(state.t);
    for (size_t k = 0; k < out.bodies.size(); ++k)
      out.bodies[k].push_back(drawer.snapshot().bodies[k]);
    deal_points(frame.points, muscle_points, out.muscles);
    deal_points(frame.lines, line_points, out.lines);
    for (size_t k = 0; k < out.surfaces.size(); ++k)
      out.surfaces[k].col(static_cast<Eigen::Index>(f)) = Eigen::Map<const VecX>(
          frame.deforming[k].data(), static_cast<Eigen::Index>(frame.deforming[k].size()));
    if (progress) progress(state.t, motion.t[rows.back()]);
  }
  return out;
}

}  // namespace sinew
