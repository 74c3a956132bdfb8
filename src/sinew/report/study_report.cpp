#include "sinew/report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/report/reason_groups.hpp"
#include "sinew/report/study_table.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// How runs end, as the page orders them: first those whose results count.
constexpr const char* kStatuses[] = {"passed", "audit_failed", "failed", "refused", "crashed"};

std::vector<std::string> names_of(const ordered_json& columns) {
  std::vector<std::string> out;
  for (const ordered_json& column : columns) out.push_back(column.at("name"));
  return out;
}

/// Index of each row's status, and the number of rows of each.
ordered_json describe_statuses(const fs::path& file, const StudyTable& table,
                               const std::string& remedy, ReportData& data) {
  std::vector<int> index;
  std::vector<std::uint64_t> counts(std::size(kStatuses));
  for (const std::string& status : table.status) {
    const auto found = std::find(std::begin(kStatuses), std::end(kStatuses), status);
    if (found == std::end(kStatuses))
      throw Error(file.string(), "'" + status + "' is not how a run ends", remedy);
    index.push_back(static_cast<int>(found - std::begin(kStatuses)));
    ++counts[static_cast<size_t>(index.back())];
  }
  ordered_json names = ordered_json::array();
  for (size_t k = 0; k < counts.size(); ++k)
    names.push_back({{"name", kStatuses[k]}, {"count", counts[k]}});
  return {{"names", names}, {"of_rows", data.indices(index)}};
}

/// Reasons without their numbers; for each row 0, or one more than the index of its reason; the
/// numbers of those rows that have a reason, a line for each.
ordered_json describe_reasons(const StudyTable& table, ReportData& data) {
  ReasonGroups groups;
  std::vector<int> index;
  std::string numbers, own;
  for (const std::string& reason : table.reason) {
    index.push_back(0);
    if (reason.empty()) continue;
    index.back() = static_cast<int>(groups.add(reason, own)) + 1;
    numbers += own + "\n";
  }
  ordered_json texts = ordered_json::array();
  for (const ReasonGroups::Group& group : groups.groups()) texts.push_back(group.text);
  return {{"texts", texts}, {"of_rows", data.indices(index)}, {"numbers", numbers}};
}

/// What is not as the reader expects it, in words.
std::vector<std::string> notes_of(const ordered_json& record, size_t rows) {
  std::vector<std::string> out;
  const ordered_json& runs = record.at("runs");
  const std::uint64_t known =
      runs.at("count").get<std::uint64_t>() - runs.at("missing").get<std::uint64_t>();
  if (known != rows)
    out.push_back(
        fmt::format("The table has {} runs; means, deviations and influences are those of {} runs: "
                    "the study went on since. With --table, `sinew sweep` brings them up to date.",
                    rows, known));
  return out;
}

/// What it varies.
const char* subject_of(const ordered_json& record) {
  return record.contains("task") ? "task" : "model";
}

ordered_json provenance_of(const ordered_json& record) {
  const auto text = [&](const char* key) { return record.at(key).get<std::string>(); };
  const auto hash = [](const std::string& digits) { return digits + " (FNV-1a)"; };
  ordered_json out = ordered_json::array();
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) out.push_back({label, value});
  };
  add("Command", text("command"));
  add("Computed by", fmt::format("sinew {} ({})", text("sinew"), text("commit")));
  add("Report by", fmt::format("sinew {} ({})", version(), commit()));
  add("Study file", record.at("study_file").at("path"));
  add("Study hash", hash(record.at("study_file").at("fnv1a")));
  const bool task = record.contains("task");
  add(task ? "Task" : "Model", text(subject_of(record)));
  add(task ? "Hash of task and model" : "Model hash", hash(text("model_fnv1a")));
  add("Citation", text("citation"));
  return out;
}

}  // namespace

bool is_study(const ordered_json& record) { return record.contains("study_file"); }

std::string study_title(const ordered_json& record) {
  const std::string title = record.value("title", "");
  return title.empty() ? record.value("study", "Study") : title;
}

void describe_study_page(const fs::path& folder, const ordered_json& record, ordered_json& header,
                         ReportData& data) {
  const fs::path file = folder / "table.csv";
  const std::string remedy =
      "write it with `sinew sweep STUDY --out " + folder.string() + " --table`";
  try {
    const ordered_json& columns = record.at("columns");
    const StudyTable table = read_study_table(file, names_of(columns.at("parameters")),
                                              names_of(columns.at("results")), remedy);
    ordered_json study = {{"name", record.at("study")}};
    for (const char* key : {"title", "description", "citation", "design", "commands", "status"})
      study[key] = record.at(key);
    study[subject_of(record)] = record.at(subject_of(record));
    study["count"] = record.at("runs").at("count");
    study["rows"] = table.run.size();
    std::vector<int> runs;
    for (const std::uint64_t run : table.run) runs.push_back(static_cast<int>(run));
    study["run"] = data.indices(runs);
    study["statuses"] = describe_statuses(file, table, remedy, data);
    study["time"] = data.floats(table.time);
    study["reasons"] = describe_reasons(table, data);
    for (const char* kind : {"parameters", "results"}) {
      const auto& values = kind == std::string("results") ? table.results : table.parameters;
      ordered_json& out = study[kind] = columns.at(kind);
      for (size_t k = 0; k < values.size(); ++k) out[k]["values"] = data.doubles(values[k]);
    }
    for (ordered_json& result : study["results"]) {
      const ordered_json& known = record.at("results").at(result.at("name").get<std::string>());
      for (const char* key : {"mean", "deviation", "least", "largest"}) result[key] = known.at(key);
      for (const char* key : {"indices", "rank_correlations"})
        if (known.contains(key)) result[key] = known.at(key);
    }
    study["notes"] = notes_of(record, table.run.size());
    study["provenance"] = provenance_of(record);
    header["kind"] = "study";
    header["runs"] = ordered_json::array();
    header["study"] = std::move(study);
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs", remedy);
  }
}

}  // namespace sinew
