#pragma once

#include "sinew/analysis/motion/motion_table.hpp"
#include "sinew/report/report_data.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// A curve of a plot.
struct ReportColumn {
  std::string name;
  std::string quantity;  ///< "angle", "energy", …: docs/report_format.md
  std::vector<double> values;
};

/// Curves that share their axes.
struct ReportGroup {
  std::string id, title;
  std::vector<ReportColumn> columns;
  std::string section = {};  ///< heading under which it is listed; empty: none
};

/// A table of results, .sto or .csv. Throws an Error with file and line.
MotionTable read_result_table(const std::filesystem::path& path);

/// What a table of a run's folder becomes. `name` is the file's without extension; what is known of
/// it decides on the groups, others become one group as they are.
std::vector<ReportGroup> groups_of_table(const std::string& name, const MotionTable& table,
                                         const System& system);

/// Coordinates and speeds over time, in the order of `coordinates`.
std::vector<ReportGroup> coordinate_groups(const std::vector<Coordinate>& coordinates,
                                           const MatX& q, const MatX& qdot);

/// Groups over their common times, thinned where there are more rows than a plot can show.
nlohmann::ordered_json write_groups(const std::vector<double>& t,
                                    const std::vector<ReportGroup>& groups, ReportData& data);

}  // namespace sinew
