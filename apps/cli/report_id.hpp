#pragma once

#include "report_data.hpp"

namespace sinew::cli {

/// A folder of `sinew id` as a report has it: the motion with what acts on the model, moments and
/// the power of joints. Writes "runs" of the header.
void describe_id(const std::filesystem::path& folder, const nlohmann::ordered_json& record,
                 nlohmann::ordered_json& header, ReportData& data);

/// How a study of a motion came about: pairs of label and value.
nlohmann::ordered_json motion_provenance(const nlohmann::ordered_json& record);

}  // namespace sinew::cli
