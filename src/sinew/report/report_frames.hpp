#pragma once

#include "sinew/integrate/simulate.hpp"
#include "sinew/report/report_data.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// States of a system over time.
struct ReportMotion {
  std::vector<double> t;
  std::vector<VecX> q, qdot;                   ///< of System::coordinates()
  std::vector<VecX> activation, fibre_length;  ///< of System::hill_muscles(); empty: not known
};

State state_at(const ReportMotion& motion, size_t row);

/// Rows at most `most` of them, evenly spread over time, the first and the last among them.
std::vector<size_t> thinned(const std::vector<double>& t, size_t most);

/// Evaluates the system along the motion: where bodies, muscles and contacts are, which forces act,
/// and what only the muscles' motion tells (kinetic energy, moment arms). The result is the
/// "frames" of a report's header. `run`: see FrameDrawer.
nlohmann::ordered_json write_frames(const System& system, const ReportMotion& motion,
                                    ReportData& data, std::vector<std::string>& notes,
                                    const std::optional<SimulationSettings>& run = std::nullopt);

}  // namespace sinew
