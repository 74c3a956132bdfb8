#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// Whether run.json is of `sinew sweep`.
bool is_study(const nlohmann::ordered_json& record);

/// The title of its page.
std::string study_title(const nlohmann::ordered_json& record);

/// Adds to the header the rows of a study, and what its record says of them.
void describe_study_page(const std::filesystem::path& folder, const nlohmann::ordered_json& record,
                         nlohmann::ordered_json& header, ReportData& data);

}  // namespace sinew
