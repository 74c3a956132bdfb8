#pragma once

#include "sinew/report/report_series.hpp"

/// What reports and the viewer show of strands beside their lines: docs/report_format.md.

namespace sinew {

/// Nodes of all strands, with the points of their lines and the curves of their tensions; an empty
/// list without strands.
nlohmann::ordered_json describe_strands(const System& system);
/// Pulleys and drums.
nlohmann::ordered_json describe_pulleys(const System& system);

/// The columns of a run's table "strands" as curves: tensions, lengths, and where nodes are.
/// `reactions` has the tensions of strands that do not stretch; null without it.
std::vector<ReportGroup> strand_groups(const System& system, const MotionTable& strands,
                                       const MotionTable* reactions);

}  // namespace sinew
