#pragma once

#include "sinew/report/report_data.hpp"
#include "sinew/report/report_frame.hpp"

namespace sinew {

/// A system at one instant, as numbers in the order in which the page has them.
struct ViewFrame {
  DrawnFrame drawn;
  /// Per muscle: activation (0 without), tension [N], and excitation where it has
  /// one, else tension.
  std::vector<double> activation, tension, drive;
  std::vector<double> q;        ///< System::coordinates()
  std::vector<double> energy;   ///< kinetic, potential [J]
  std::vector<double> strands;  ///< tensions: FrameDrawer::strands() [N]
};

/// What the page calls a coordinate's kind: "angle", "length" or "number".
const char* quantity_of(CoordinateKind kind);

/// Overwrites `out` with the system at `state`; the drawer is one of the same system.
void update_view_frame(const System& system, const State& state, const Controls& controls,
                       FrameDrawer& drawer, ViewFrame& out);

/// The report's "frames" and "series" with this one frame. Called with frames of one system it
/// describes the same places every time: the bytes of one frame may be put over those of another.
struct ViewFrameText {
  nlohmann::ordered_json frames, series;
};
ViewFrameText write_view_frame(const System& system, const FrameDrawer& drawer,
                               const ViewFrame& frame, ReportData& data);

}  // namespace sinew
