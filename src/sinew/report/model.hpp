#pragma once

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/report_data.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// A system and its appearance.
struct ReportModel {
  const System& system;
  const ModelLook& look;  ///< its shapes may be of fewer bodies: nothing to draw of the others
};

/// What is drawn of a muscle's flesh.
struct DrawnBelly {
  MaterialMap map;       ///< where it is on the path
  double volume = 0;     ///< [m³]; 0: unknown
  double pennation = 0;  ///< at the optimal length of fibres [rad]
};
/// Of all muscles.
std::vector<DrawnBelly> drawn_bellies(const System& system);

/// The part of a report's header that does not change over time: bodies with their shapes, muscles,
/// surfaces, markers, ground. Moving parts are in report_frame.hpp. Parts that cannot be drawn are
/// added to `notes`, in words.
nlohmann::ordered_json describe_model(const ReportModel& model, ReportData& data,
                                      std::vector<std::string>& notes);

}  // namespace sinew
