#pragma once

#include <functional>

#include "sinew/export/moving_line.hpp"
#include "sinew/report/report_frames.hpp"

namespace sinew {

/// A system at some rows of a motion, thing by thing. World axes, SI.
struct ExportFrames {
  std::vector<double> t;
  std::vector<std::vector<Pose>> bodies;  ///< [body][frame]
  std::vector<LineFrames> muscles;        ///< [muscle][frame]
  std::vector<LineFrames> lines;          ///< [line][frame]; of drawn_lines
  std::vector<MatX> surfaces;             ///< [surface]: coordinates × frames; of drawn_surfaces
};

/// `progress`, where there is one, hears the time of every frame and that of the last [s].
ExportFrames export_frames(const System& system, const ReportMotion& motion,
                           const std::vector<size_t>& rows,
                           const std::function<void(double, double)>& progress);

}  // namespace sinew
