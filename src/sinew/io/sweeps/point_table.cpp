#include "sinew/io/sweeps/point_table.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"

namespace sinew {
namespace {

constexpr std::uintmax_t kLargestTable = 1u << 30;

/// Cells between commas, or between tabs where there is no comma.
std::vector<std::string> cells_of(std::string_view line) {
  const char separator = line.find(',') == std::string_view::npos ? '\t' : ',';
  std::vector<std::string> out;
  for (;;) {
    const size_t end = line.find(separator);
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    out.emplace_back(cell);
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<double> parse_points(std::string_view text, const std::string& file,
                                 const std::vector<std::string>& names) {
  TextLines lines(text, file);
  std::string_view line;
  if (!lines.next(line)) lines.fail_file("table", "is empty", "give names, then rows of numbers");
  const std::vector<std::string> header = cells_of(line);
  std::vector<size_t> columns;
  for (const std::string& name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      lines.fail("table", "has no column '" + name + "'", suggest(name, header));
    if (std::find(found + 1, header.end(), name) != header.end())
      lines.fail("table", "has two columns '" + name + "'", "keep one");
    columns.push_back(static_cast<size_t>(found - header.begin()));
  }
  std::vector<double> out;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != header.size())
      lines.fail("row",
                 "has " + std::to_string(cells.size()) + " cells, and the first line " +
                     std::to_string(header.size()),
                 "give one for each name");
    for (const size_t column : columns) {
      double value = 0;
      if (!parse_number(cells[column], value) || !std::isfinite(value))
        lines.fail("column '" + header[column] + "'",
                   quoted_word(cells[column]) + " is not a finite number", "give a number");
      out.push_back(value);
    }
  }
  if (out.empty()) lines.fail_file("table", "has no points", "give rows of numbers");
  return out;
}

std::vector<double> read_points(const std::filesystem::path& path,
                                const std::vector<std::string>& names) {
  return parse_points(read_text_file(path, kLargestTable), path.string(), names);
}

}  // namespace sinew
