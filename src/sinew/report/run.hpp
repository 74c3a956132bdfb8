#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// A run of `sinew simulate` for a report: model, frames, curves, audit, provenance. The system is
/// evaluated again along the states of the folder. Throws an Error if the scene is missing or has
/// changed, or if its states are not those of the scene.
nlohmann::ordered_json describe_run(const std::filesystem::path& folder,
                                    const nlohmann::ordered_json& record, ReportData& data);

}  // namespace sinew
