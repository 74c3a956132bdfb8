#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// Whether a record is that of `sinew id`, or of `sinew muscles` along a motion.
bool is_motion_study(const nlohmann::ordered_json& record);

/// Such a folder for a report: the motion with the forces on the model, and the curves of moments
/// and powers of joints, or of muscles. Writes "runs" of the header.
void describe_motion_study(const std::filesystem::path& folder,
                           const nlohmann::ordered_json& record, nlohmann::ordered_json& header,
                           ReportData& data);

/// The provenance of a study of a motion: pairs of label and value.
nlohmann::ordered_json motion_provenance(const nlohmann::ordered_json& record);

}  // namespace sinew
