#include "sinew/report/report.hpp"

#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/report/comparison.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/optimum_report.hpp"
#include "sinew/report/report_motion.hpp"
#include "sinew/report/run.hpp"
#include "sinew/report/study_report.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr int kFormat = 1;

/// The title of the page and its tab.
std::string title_of(const ordered_json& run) {
  const std::string title = run["title"];
  return title.empty() ? run["name"].get<std::string>() : title;
}

bool is_comparison(const ordered_json& record) {
  return record.contains("moved") && record.contains("model_file");
}

/// A run of the folder, of `simulate`, `id` or `muscles`.
void add_run(const fs::path& folder, const ordered_json& record, ordered_json& header,
             ReportData& data) {
  if (is_motion_study(record))
    describe_motion_study(folder, record, header, data);
  else
    header["runs"].push_back(describe_run(folder, record, data));
}

}  // namespace

fs::path write_report(const fs::path& folder, const fs::path& beside, const fs::path& out) {
  ReportData data;
  ordered_json header = {{"format", kFormat},
                         {"sinew", std::string(version())},
                         {"commit", std::string(commit())},
                         {"kind", "simulation"}};
  const ordered_json record = read_record(folder);
  if (is_study(record)) {
    if (!beside.empty()) throw Error("--beside", "shows two runs, and this is a study", "omit it");
    describe_study_page(folder, record, header, data);
  } else if (is_comparison(record)) {
    if (!beside.empty())
      throw Error("--beside", "shows two runs, and this is already a comparison", "omit it");
    describe_comparison(folder, record, header, data);
  } else if (is_optimum(record)) {
    if (!beside.empty())
      throw Error("--beside", "shows two runs, and this is already the first run and the best",
                  "omit it");
    describe_optimum(folder, record, header, data);
  } else {
    add_run(folder, record, header, data);
  }
  if (!beside.empty()) {
    const ordered_json other = read_record(beside);
    if (is_comparison(other) || is_optimum(other) || is_study(other))
      throw Error("--beside", "is not a run", "give the --out of `simulate`, `id` or `muscles`");
    add_run(beside, other, header, data);
  }
  const std::string title = is_study(record) ? study_title(record) : title_of(header["runs"][0]);
  const fs::path page = out.empty() ? folder / kReportName : out;
  write_report_page(page, title, header, data);
  return page;
}

}  // namespace sinew
