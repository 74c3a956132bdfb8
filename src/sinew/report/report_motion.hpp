#pragma once

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/report_data.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// Whether a record is that of `sinew id`, or of `sinew muscles` along a motion.
bool is_motion_study(const nlohmann::ordered_json& record);

/// Such a folder for a report: the motion with the forces on the model, and the curves of moments
/// and powers of joints, or of muscles. Writes "runs" of the header.
void describe_motion_study(const std::filesystem::path& folder,
                           const nlohmann::ordered_json& record, nlohmann::ordered_json& header,
                           ReportData& data);

/// A model with what pulls and pushes, to look at. `loads`: an ExternalLoads file; empty: none.
System drawn_system(const LoadedModel& model, const std::string& loads);

/// The provenance of a study of a motion: pairs of label and value.
nlohmann::ordered_json motion_provenance(const nlohmann::ordered_json& record);

}  // namespace sinew
