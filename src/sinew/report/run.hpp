#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// The folder's run.json. Throws an Error where the folder holds no run, or one of another version.
nlohmann::ordered_json read_record(const std::filesystem::path& folder);

/// A run of `sinew simulate` as a report has it: model, frames, curves, audit, provenance. The
/// system is evaluated again along the states of the folder. Throws an Error where the scene is
/// gone or has changed, or its states are not those of the scene.
nlohmann::ordered_json describe_run(const std::filesystem::path& folder,
                                    const nlohmann::ordered_json& record, ReportData& data);

/// Throws an Error unless the file is there with the recorded content.
void require_unchanged(const nlohmann::ordered_json& file);

}  // namespace sinew
