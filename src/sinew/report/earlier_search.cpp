#include "sinew/report/earlier_search.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/tasks/task_files.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/report_series.hpp"
#include "sinew/report/task_record.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr double kMostRuns = 1e9;  // of a search

/// Reads members of run.json.
class SearchReader {
 public:
  explicit SearchReader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(file_, problem, "start anew without --resume");
  }
  const ordered_json& member(const ordered_json& of, const char* key) const {
    if (!of.is_object() || !of.contains(key)) fail(fmt::format("has no '{}'", key));
    return of.at(key);
  }
  double number(const ordered_json& of, const char* key) const {
    const ordered_json& value = member(of, key);
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      fail(fmt::format("'{}' is not a number", key));
    return value;
  }
  int count(const ordered_json& of, const char* key) const {
    const double value = number(of, key);
    if (value < 0 || value > kMostRuns || value != std::floor(value))
      fail(fmt::format("'{}' is not a number of runs", key));
    return static_cast<int>(value);
  }
  std::string text(const ordered_json& of, const char* key) const {
    const ordered_json& value = member(of, key);
    if (!value.is_string()) fail(fmt::format("'{}' is not a text", key));
    return value;
  }
  const ordered_json& list(const ordered_json& of, const char* key) const {
    const ordered_json& value = member(of, key);
    if (!value.is_array()) fail(fmt::format("'{}' is not a list", key));
    return value;
  }

  std::vector<TaskProblem::TermValue> terms(const ordered_json& record) const {
    std::vector<TaskProblem::TermValue> out;
    for (const ordered_json& term : list(record, "first_objectives")) {
      TaskProblem::TermValue read{text(term, "name"), "", number(term, "value")};
      if (term.contains("miss")) {
        read.miss = number(term, "miss");
        read.unit = text(term, "unit");
      }
      out.push_back(std::move(read));
    }
    return out;
  }

  /// A column for the start of each interval, and one for the end of the last.
  MatX states(const ordered_json& intervals, const TaskProblem& problem) const {
    const ordered_json& columns = list(intervals, "states");
    const int most = problem.task().optimizer.intervals;
    if (columns.size() != static_cast<size_t>(most) + 1)
      fail(fmt::format("'states' has {} states for {} intervals", columns.size(), most));
    const Eigen::Index rows = 2 * problem.system().dof_count() + problem.system().internal_count();
    MatX out(rows, most + 1);
    for (Eigen::Index k = 0; k < out.cols(); ++k) {
      const ordered_json& column = columns[static_cast<size_t>(k)];
      if (!column.is_array() || column.size() != static_cast<size_t>(rows))
        fail(fmt::format("'states' has an interval without the {} numbers of a state", rows));
      for (Eigen::Index i = 0; i < rows; ++i) {
        const ordered_json& value = column[static_cast<size_t>(i)];
        if (!value.is_number() || !std::isfinite(value.get<double>()))
          fail("'states' has an entry that is not a number");
        out(i, k) = value;
      }
    }
    return out;
  }

 private:
  std::string file_;
};

std::vector<LoggedEvaluation> read_log(const fs::path& file) {
  const MotionTable table = read_result_table(file);
  const auto fail = [&](const std::string& problem) {
    throw Error(file.string(), problem, "start anew without --resume");
  };
  if (table.times.empty()) fail("has no rows");
  const std::array columns = {table.column("evaluation"), table.column("iteration"),
                              table.column("value"),      table.column("gradient"),
                              table.column("best"),       table.column("gap"),
                              table.column("failed")};
  std::vector<LoggedEvaluation> out;
  for (size_t k = 0; k < table.times.size(); ++k) {
    const VecX row = table.values.row(static_cast<Eigen::Index>(k))(columns);
    if (!row.allFinite()) fail(fmt::format("has a row that is not all numbers, the {}.", k + 1));
    if (std::max({row[0], row[1], row[6]}) > kMostRuns || std::min({row[0], row[1], row[6]}) < 0)
      fail(fmt::format("counts runs that nobody has made in row {}", k + 1));
    out.push_back({table.times[k], row[0], row[1], row[2], row[3], row[4], row[5], row[6]});
  }
  return out;
}

void require_same_file(const ordered_json& earlier, const ordered_json& now,
                       const SearchReader& in) {
  if (in.text(earlier, "fnv1a") != now.at("fnv1a").get<std::string>())
    throw Error("--resume",
                fmt::format("{} has changed since the run in the folder",
                            now.at("path").get<std::string>()),
                "put it back, or start anew without --resume");
}

void require_same_task(const ordered_json& earlier, const TaskProblem& problem,
                       const SearchReader& in) {
  const ordered_json now = describe_task(problem);
  for (const char* file : {"task_file", "model_file"})
    require_same_file(in.member(earlier, file), now[file], in);
  const ordered_json &data = now["data_files"], &before = in.list(earlier, "data_files");
  if (before.size() != data.size()) in.fail("'data_files' are not those of the task");
  for (size_t k = 0; k < data.size(); ++k) require_same_file(before[k], data[k], in);
}

}  // namespace

EarlierSearch read_earlier_search(const fs::path& folder, const TaskProblem& problem) {
  const ordered_json record = read_record(folder);
  const SearchReader in((folder / "run.json").string());
  require_same_task(record, problem, in);
  EarlierSearch out;
  out.parameters = read_parameter_file(folder / "run.json", problem);
  out.log = read_log(folder / "convergence.sto");
  out.failed_runs = in.count(record, "failed_runs");
  out.first_value = in.number(record, "first_value");
  out.first_terms = in.terms(record);
  if (record.contains("intervals")) out.states = in.states(record["intervals"], problem);
  return out;
}

}  // namespace sinew
