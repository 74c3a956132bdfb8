#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// Whether run.json is of `sinew optimize`.
bool is_optimum(const nlohmann::ordered_json& record);

/// Adds to the header what an optimisation found, its best run and its first one.
void describe_optimum(const std::filesystem::path& folder, const nlohmann::ordered_json& record,
                      nlohmann::ordered_json& header, ReportData& data);

}  // namespace sinew
