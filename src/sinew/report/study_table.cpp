#include "sinew/report/study_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"

namespace sinew {
namespace {

constexpr std::uintmax_t kLargestTable = std::uintmax_t{1} << 34;

/// Rows of cells as RFC 4180 has them: reasons may hold commas, quotes and line ends.
class Cells {
 public:
  explicit Cells(std::string_view text) : rest_(text) {}
  /// False after the last row.
  bool next(std::vector<std::string>& cells) {
    if (rest_.empty()) return false;
    ++row_;
    for (size_t k = 0;; ++k) {
      if (k == cells.size()) cells.emplace_back();
      if (take(cells[k])) continue;
      cells.resize(k + 1);
      return true;
    }
  }
  std::uint64_t row() const { return row_; }

 private:
  /// Whether another cell follows in the row.
  bool take(std::string& cell) {
    cell.clear();
    if (rest_.starts_with('"')) {
      rest_.remove_prefix(1);
      for (;;) {
        const size_t end = std::min(rest_.find('"'), rest_.size());
        cell += rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        if (!rest_.starts_with('"')) break;
        cell += '"';
        rest_.remove_prefix(1);
      }
    }
    const size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
    cell += rest_.substr(0, end);
    const bool more = end < rest_.size() && rest_[end] == ',';
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!more && cell.ends_with('\r')) cell.pop_back();
    return more;
  }

  std::string_view rest_;
  std::uint64_t row_ = 0;
};

}  // namespace

StudyTable read_study_table(const std::filesystem::path& path,
                            const std::vector<std::string>& parameters,
                            const std::vector<std::string>& results, const std::string& remedy) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    throw Error(path.parent_path().string(), "has no table.csv", remedy);
  const std::string text = read_text_file(path, kLargestTable);
  const auto fail = [&](const std::string& problem) {
    throw Error(path.string(), problem, remedy);
  };
  std::vector<std::string> labels = {"run"};
  labels.insert(labels.end(), parameters.begin(), parameters.end());
  labels.push_back("status");
  labels.insert(labels.end(), results.begin(), results.end());
  labels.insert(labels.end(), {"time", "reason"});
  Cells in(text);
  std::vector<std::string> cells;
  if (!in.next(cells)) fail("is empty");
  for (size_t k = 0; k < std::max(labels.size(), cells.size()); ++k) {
    if (k >= cells.size()) fail(fmt::format("has no column '{}', which run.json names", labels[k]));
    if (k >= labels.size())
      fail(fmt::format("has a column '{}', which run.json does not name", cells[k]));
    if (cells[k] != labels[k])
      fail(fmt::format("has a column '{}' where run.json names '{}'", cells[k], labels[k]));
  }
  StudyTable out;
  out.parameters.resize(parameters.size());
  out.results.resize(results.size());
  const auto number = [&](size_t k) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!cells[k].empty() && !parse_number(cells[k], value))
      fail(fmt::format("has {} in row {}, where '{}' is a number", quoted_word(cells[k]), in.row(),
                       labels[k]));
    return value;
  };
  while (in.next(cells)) {
    if (cells.size() != labels.size())
      fail(fmt::format("has {} cells in row {}, not {}", cells.size(), in.row(), labels.size()));
    std::uint64_t run = 0;
    const char* const end = cells[0].data() + cells[0].size();
    if (std::from_chars(cells[0].data(), end, run).ptr != end || cells[0].empty())
      fail(
          fmt::format("has {} for the number of a run in row {}", quoted_word(cells[0]), in.row()));
    out.run.push_back(run);
    size_t k = 1;
    for (std::vector<double>& column : out.parameters) column.push_back(number(k++));
    out.status.push_back(cells[k++]);
    for (std::vector<double>& column : out.results) column.push_back(number(k++));
    out.time.push_back(number(k++));
    out.reason.push_back(cells[k]);
  }
  if (out.run.empty()) fail("has no rows yet");
  return out;
}

}  // namespace sinew
