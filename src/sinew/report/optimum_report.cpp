#include "sinew/report/optimum_report.hpp"

#include "sinew/core/error.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/report_series.hpp"
#include "sinew/report/run.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Of the table `convergence`.
ordered_json describe_convergence(const fs::path& folder, ReportData& data) {
  const MotionTable table = read_result_table(folder / "convergence.sto");
  ordered_json out;
  for (const char* label : {"evaluation", "value", "best"}) {
    const VecX column = table.values.col(table.column(label));
    out[label] = data.floats({column.data(), static_cast<size_t>(column.size())});
  }
  return out;
}

}  // namespace

bool is_optimum(const ordered_json& record) {
  return record.contains("task_file") && record.contains("first_value");
}

void describe_optimum(const fs::path& folder, const ordered_json& record, ordered_json& header,
                      ReportData& data) {
  try {
    ordered_json optimum;
    for (const char* key :
         {"task", "method", "end", "iterations", "evaluations", "failed_runs", "first_value",
          "value", "newton_error", "objectives", "first_objectives", "parameters",
          "first_parameters", "half_step", "kinks"})
      optimum[key] = record.at(key);
    if (record.contains("identification")) optimum["identification"] = record["identification"];
    if (record.contains("intervals")) optimum["gap"] = record["intervals"].at("gap");
    optimum["convergence"] = describe_convergence(folder, data);
    header["kind"] = "optimum";
    header["optimum"] = std::move(optimum);
    for (const char* run : {"after", "before"})
      header["runs"].push_back(describe_run(folder / run, read_record(folder / run), data));
    for (const char* key : {"title", "description"})
      if (const std::string text = record.at(key); !text.empty()) header["runs"][0][key] = text;
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs",
                "optimise again: the run did not come to its end");
  }
}

}  // namespace sinew
