#include "sinew/io/tables/storage_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/core/utf8.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Numbers in a cell of each DataType.
int elements_of(const std::string& type) {
  if (type == "double") return 1;
  if (type == "Quaternion") return 4;
  if (type == "UnitVec3") return 3;
  if (type == "SpatialVec") return 6;
  if (type.size() >= 4 && type.size() <= 5 && type.compare(0, 3, "Vec") == 0) {
    double n = 0;
    if (parse_number(std::string_view(type).substr(3), n) && n >= 2 && n <= 12)
      return static_cast<int>(n);
  }
  return 0;
}

class StorageReader {
 public:
  StorageReader(std::string_view text, const std::string& name) : lines_(text, name) {
    out_.table.name = name;
  }

  StorageFile read() {
    read_header();
    read_labels();
    read_rows();
    return std::move(out_);
  }

 private:
  void warn(const std::string& what) { out_.warnings.push_back(lines_.note(what)); }

  /// Up to `endheader`.
  void read_header() {
    std::string_view line;
    bool ended = false, degrees_said = false;
    while (!ended) {
      if (!lines_.next(line))
        lines_.fail_file("the header", "has no end", "add a line 'endheader' before the labels");
      line = trimmed(line);
      const size_t key_end = std::min(line.find_first_of(" \t="), line.size());
      const std::string key = lower(line.substr(0, key_end));
      std::string_view value = trimmed(line.substr(key_end));
      if (!value.empty() && value.front() == '=') value = trimmed(value.substr(1));
      ended = key == "endheader";
      if (key == "version") {
        out_.version = whole(key, value);
        if (out_.version < 1 || out_.version > 3)
          lines_.fail("version", fmt::format("{} is not known", out_.version),
                      "versions 1 to 3 are read");
      } else if (key == "nrows" || key == "nr" || key == "datarows") {
        rows_said_ = whole(key, value);
      } else if (key == "ncolumns" || key == "nc" || key == "datacolumns") {
        columns_said_ = whole(key, value);
      } else if (key == "indegrees") {
        read_degrees(value);
        degrees_said = true;
      } else if (key == "interpolation") {
        read_interpolation(value);
      } else if (key == "datatype") {
        elements_ = elements_of(std::string(value));
        if (elements_ == 0)
          lines_.fail("DataType", quoted_word(value) + " is not known",
                      "give double, Vec2 to Vec12, UnitVec3, Quaternion or SpatialVec");
      } else if (out_.title.empty() && lines_.number() == 1) {
        out_.title = std::string(line);
      }
    }
    if (degrees_said) return;
    // By default OpenSim assumes degrees for motions and radians for the rest.
    out_.in_degrees = lower(out_.table.name).ends_with(".mot");
    if (out_.version == 0)
      warn(fmt::format("no version and no inDegrees: taken as {}",
                       out_.in_degrees ? "degrees" : "radians"));
  }

  int whole(const std::string& key, std::string_view value) const {
    double number = 0;
    // text after a number is a remark
    std::vector<std::string_view> words;
    split_words(value, words);
    if (words.empty() || !parse_number(words[0], number) || number != std::floor(number) ||
        !(std::abs(number) < 1e9))
      lines_.fail(key, quoted_word(value) + " is not a whole number", "give one, such as 1");
    return static_cast<int>(number);
  }

  void read_degrees(std::string_view value) {
    const std::string said = lower(value);
    if (said == "yes" || said == "y" || said == "true" || said == "1")
      out_.in_degrees = true;
    else if (said == "no" || said == "n" || said == "false" || said == "0")
      out_.in_degrees = false;
    else
      lines_.fail("inDegrees", quoted_word(value) + " is neither yes nor no", "give yes or no");
  }

  void read_interpolation(std::string_view value) {
    using Interpolation = TimeFunction::Interpolation;
    const std::string said = lower(value);
    if (said == "step")
      out_.interpolation = Interpolation::step;
    else if (said == "linear")
      out_.interpolation = Interpolation::linear;
    else if (said == "cubic")
      out_.interpolation = Interpolation::cubic;
    else
      lines_.fail("interpolation", quoted_word(value) + " is not known",
                  "give step, linear or cubic");
  }

  void read_labels() {
    std::string_view line;
    do {
      if (!lines_.next(line))
        lines_.fail_file("the labels", "are missing", "add a line that begins with 'time'");
    } while (trimmed(line).empty());
    std::vector<std::string_view> cells;
    line.find('\t') != line.npos ? split_cells(line, cells) : split_words(line, cells);
    const std::string first = lower(cells.front());
    if (first != "time" && first != "t")
      lines_.fail("the labels", "begin with " + quoted_word(cells.front()),
                  "the first column must be 'time'");
    for (size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].empty())
        lines_.fail("the labels", fmt::format("column {} has none", i + 1), "name every column");
      const std::string label = to_utf8(cells[i]);
      if (elements_ == 1) out_.table.labels.push_back(label);
      for (int k = 1; k <= elements_ && elements_ > 1; ++k)
        out_.table.labels.push_back(fmt::format("{}_{}", label, k));
    }
    if (out_.table.labels.empty())
      lines_.fail("the labels", "name nothing but time", "add columns");
    if (columns_said_ >= 0 && columns_said_ != static_cast<int>(cells.size()))
      warn(
          fmt::format("nColumns says {}, but {} columns have labels", columns_said_, cells.size()));
  }

  void read_rows() {
    const size_t columns = out_.table.labels.size();
    std::vector<double> values, row;
    std::string_view line;
    int holes = 0, first_hole = 0;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      if (lines_.cut() && rows_said_ >= 0 &&
          out_.table.times.size() >= static_cast<size_t>(rows_said_)) {
        warn("the last row is cut off; it is ignored");
        break;
      }
      read_row(line, row);
      if (row.size() != columns + 1)
        lines_.fail("the row",
                    fmt::format("has {} numbers for {} columns", row.size(), columns + 1),
                    "give one for every label");
      if (!std::isfinite(row[0]))
        lines_.fail("the row", "its time is not a number", "omit the row");
      if (!out_.table.times.empty()) {
        const double last = out_.table.times.back();
        if (row[0] < last)
          lines_.fail("the row", fmt::format("goes back in time, from {} to {}", last, row[0]),
                      "sort the rows by time");
        if (row[0] == last) {
          warn(fmt::format("time {} occurs twice; this row is ignored", last));
          continue;
        }
      }
      for (size_t i = 1; i <= columns; ++i)
        if (!std::isfinite(row[i])) {
          if (holes++ == 0) first_hole = lines_.number();
          row[i] = std::nan("");
        }
      out_.table.times.push_back(row[0]);
      values.insert(values.end(), row.begin() + 1, row.end());
    }
    const auto rows = static_cast<Eigen::Index>(out_.table.times.size());
    if (rows == 0) lines_.fail_file("the table", "has no rows", "add data below the labels");
    out_.table.values =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            values.data(), rows, static_cast<Eigen::Index>(columns));
    if (holes > 0)
      out_.warnings.push_back(fmt::format("{}:{}: {} value{} not a number", lines_.file(),
                                          first_hole, holes, holes == 1 ? " is" : "s are"));
    if (rows_said_ >= 0 && rows_said_ != rows)
      out_.warnings.push_back(
          fmt::format("{}: nRows says {}, but there are {}", lines_.file(), rows_said_, rows));
  }

  void read_row(std::string_view line, std::vector<double>& row) {
    row.clear();
    split_words(line, words_);
    for (size_t i = 0; i < words_.size(); ++i) {
      std::string_view word = words_[i];
      int count = 0;
      while (true) {
        const size_t end = elements_ > 1 ? std::min(word.find(','), word.size()) : word.size();
        double number = 0;
        if (!parse_number(word.substr(0, end), number))
          lines_.fail("the row", quoted_word(word) + " is not a number",
                      "give numbers, or NaN where one is missing");
        row.push_back(number);
        ++count;
        if (end == word.size()) break;
        word.remove_prefix(end + 1);
      }
      if (i > 0 && count != elements_)
        lines_.fail("the row", fmt::format("a cell has {} elements", count),
                    fmt::format("DataType requires {}, with commas between", elements_));
    }
  }

  TextLines lines_;
  StorageFile out_;
  int rows_said_ = -1, columns_said_ = -1, elements_ = 1;
  std::vector<std::string_view> words_;
};

}  // namespace

StorageFile read_storage(const std::filesystem::path& path) {
  return parse_storage(read_text_file(path), path.string());
}

StorageFile parse_storage(std::string_view text, const std::string& name) {
  return StorageReader(text, name).read();
}

void to_radians(const std::function<bool(const std::string&)>& rotational, StorageFile& file) {
  if (!file.in_degrees) return;
  MotionTable& table = file.table;
  for (size_t i = 0; i < table.labels.size(); ++i)
    if (rotational(table.labels[i]))
      table.values.col(static_cast<Eigen::Index>(i)) *= std::numbers::pi / 180;
  file.in_degrees = false;
}

namespace {

/// The labels after that of time, and all rows.
void add_rows(const MotionTable& table, char separator, std::string& text) {
  for (const std::string& label : table.labels) text.append(1, separator).append(label);
  text += '\n';
  for (size_t i = 0; i < table.times.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{:.17g}", table.times[i]);
    for (const double value : table.values.row(static_cast<Eigen::Index>(i)))
      fmt::format_to(std::back_inserter(text), "{}{:.17g}", separator, value);
    text += '\n';
  }
}

}  // namespace

void write_storage(const std::filesystem::path& path, const MotionTable& table,
                   const std::string& title, bool in_degrees) {
  std::string text =
      fmt::format("{}\nversion=1\nnRows={}\nnColumns={}\ninDegrees={}\nendheader\ntime", title,
                  table.times.size(), table.labels.size() + 1, in_degrees ? "yes" : "no");
  add_rows(table, '\t', text);
  write_whole_file(path, text);
}

void write_csv(const std::filesystem::path& path, const MotionTable& table) {
  std::string text = "time";
  add_rows(table, ',', text);
  write_whole_file(path, text);
}

}  // namespace sinew
