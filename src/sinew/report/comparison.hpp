#pragma once

#include "sinew/report/report_data.hpp"

namespace sinew {

/// A folder of `sinew compare-inertia` for a report: the motion as a run, and the moments with all
/// mass on the bones and with part of it in the muscles. The comparison is repeated from the
/// record. Writes "runs" and "comparison" of the header.
void describe_comparison(const std::filesystem::path& folder, const nlohmann::ordered_json& record,
                         nlohmann::ordered_json& header, ReportData& data);

}  // namespace sinew
