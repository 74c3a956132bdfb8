#include "sinew/io/tables/trc_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew {

namespace {

constexpr const char* kKeys[] = {"DataRate", "CameraRate",   "NumFrames",          "NumMarkers",
                                 "Units",    "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"};

/// Cells between tabs with empty ones kept, as blanks are missing markers.
void split_all(std::string_view line, std::vector<std::string_view>& out) {
  out.clear();
  while (true) {
    const size_t end = std::min(line.find('\t'), line.size());
    out.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

class TrcReader {
 public:
  TrcReader(std::string_view text, const std::string& name) : lines_(text, name) {
    out_.table.name = name;
  }

  MarkerFile read() {
    read_metadata();
    read_markers();
    read_rows();
    return std::move(out_);
  }

 private:
  std::string_view need_line(const char* what) {
    std::string_view line;
    if (!lines_.next(line))
      lines_.fail_file(what, "is missing", "the file ends too early: export it again");
    return line;
  }

  double number(std::string_view cell, const char* what) const {
    double value = 0;
    if (!parse_number(cell, value) || !std::isfinite(value))
      lines_.fail(what, quoted_word(cell) + " is not a number", "give a number");
    return value;
  }

  void read_metadata() {
    std::vector<std::string_view> cells;
    split_cells(need_line("the first line"), cells);
    if (cells.empty() || cells[0] != "PathFileType")
      lines_.fail("the file", "does not begin with PathFileType", "give a .trc file");
    split_cells(need_line("the line of keys"), cells);
    for (size_t i = 0; i < std::size(kKeys); ++i)
      if (i >= cells.size() || cells[i] != kKeys[i])
        lines_.fail("the keys", fmt::format("{} is not in its place", kKeys[i]),
                    "the second line must name DataRate CameraRate NumFrames NumMarkers Units "
                    "OrigDataRate OrigDataStartFrame OrigNumFrames");
    split_cells(need_line("the line of values"), cells);
    if (cells.size() < std::size(kKeys))
      lines_.fail("the values", fmt::format("are {} for 8 keys", cells.size()),
                  "give one for every key");
    out_.data_rate = number(cells[0], kKeys[0]);
    out_.camera_rate = number(cells[1], kKeys[1]);
    frames_said_ = number(cells[2], kKeys[2]);
    markers_said_ = number(cells[3], kKeys[3]);
    if (cells[4] == "mm")
      unit_ = 1e-3;
    else if (cells[4] != "m")
      lines_.fail("Units", quoted_word(cells[4]) + " is not known", "give mm or m");
  }

  void read_markers() {
    std::vector<std::string_view> cells;
    split_cells(need_line("the line of markers"), cells);
    if (cells.size() < 3 || cells[0] != "Frame#" || cells[1] != "Time")
      lines_.fail("the markers", "their line does not begin with Frame# and Time",
                  "give Frame#, Time, then a marker in every third column");
    for (size_t i = 2; i < cells.size(); ++i) {
      const bool name_here = (i - 2) % 3 == 0;
      if (name_here == cells[i].empty())
        lines_.fail(
            "the markers",
            fmt::format("column {} {}", i + 1, name_here ? "has no name" : "has an extra name"),
            "every marker takes three columns and names the first");
      if (!name_here) continue;
      out_.markers.emplace_back(cells[i]);
      for (const char* axis : {"_x", "_y", "_z"})
        out_.table.labels.push_back(out_.markers.back() + axis);
    }
    if (markers_said_ != static_cast<double>(out_.markers.size()))
      out_.warnings.push_back(lines_.note(fmt::format("NumMarkers says {}, but {} have names",
                                                      markers_said_, out_.markers.size())));
    need_line("the line X1 Y1 Z1 …");
  }

  void read_rows() {
    const size_t columns = out_.table.labels.size();
    std::vector<std::string_view> cells;
    std::vector<double> values;
    std::string_view line;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      split_all(line, cells);
      while (cells.size() > columns + 2 && cells.back().empty()) cells.pop_back();
      if (cells.size() > columns + 2)
        lines_.fail("the row",
                    fmt::format("has {} cells for {} columns", cells.size(), columns + 2),
                    "give frame, time and three numbers for every marker");
      if (cells.size() < 2) lines_.fail("the row", "has no time", "give frame and time");
      const double frame = number(cells[0], "the frame"), time = number(cells[1], "the time");
      if (!out_.table.times.empty() && time < out_.table.times.back())
        lines_.fail("the row", fmt::format("goes back in time to {}", time),
                    "sort the rows by time");
      if (!out_.table.times.empty() && time == out_.table.times.back()) {
        out_.warnings.push_back(
            lines_.note(fmt::format("time {} occurs twice; this row is ignored", time)));
        continue;
      }
      if (cells.size() < columns + 2 && cells.size() % 3 != 2)
        lines_.fail("the row",
                    fmt::format("has {} cells for {} columns", cells.size(), columns + 2),
                    "give three numbers for every marker, or none");
      out_.frames.push_back(static_cast<int>(std::max(-1e9, std::min(frame, 1e9))));
      out_.table.times.push_back(time);
      for (size_t i = 2; i < columns + 2; ++i)
        values.push_back(i < cells.size() ? coordinate(cells[i]) : std::nan(""));
    }
    if (out_.frames.empty())
      lines_.fail_file("the table", "has no rows", "add data below the markers");
    const auto rows = static_cast<Eigen::Index>(out_.frames.size());
    out_.table.values =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            values.data(), rows, static_cast<Eigen::Index>(columns));
    if (frames_said_ != static_cast<double>(rows))
      out_.warnings.push_back(fmt::format("{}: NumFrames says {}, but there are {}", lines_.file(),
                                          frames_said_, rows));
  }

  /// In metres; NaN for a blank.
  double coordinate(std::string_view cell) const {
    double value = std::nan("");
    if (!cell.empty() && !parse_number(cell, value))
      lines_.fail("the row", quoted_word(cell) + " is not a number",
                  "give numbers, or nothing where a marker is missing");
    return std::isfinite(value) ? unit_ * value : std::nan("");
  }

  TextLines lines_;
  MarkerFile out_;
  double unit_ = 1, frames_said_ = 0, markers_said_ = 0;
};

}  // namespace

MarkerFile read_trc(const std::filesystem::path& path) {
  return parse_trc(read_text_file(path), path.string());
}

MarkerFile parse_trc(std::string_view text, const std::string& name) {
  return TrcReader(text, name).read();
}

void write_trc(const std::filesystem::path& path, const MarkerFile& file, bool millimetres) {
  std::string text = fmt::format("PathFileType\t4\t(X/Y/Z)\t{}\n", path.filename().string());
  for (const char* key : kKeys) text += std::string(key == kKeys[0] ? "" : "\t") + key;
  const size_t rows = file.table.times.size();
  fmt::format_to(std::back_inserter(text),
                 "\n{:.17g}\t{:.17g}\t{}\t{}\t{}\t{:.17g}\t{}\t{}\nFrame#\tTime", file.data_rate,
                 file.camera_rate, rows, file.markers.size(), millimetres ? "mm" : "m",
                 file.data_rate, rows > 0 ? file.frames[0] : 1, rows);
  for (const std::string& marker : file.markers) text += '\t' + marker + "\t\t";
  text += "\n\t";
  for (size_t i = 1; i <= file.markers.size(); ++i)
    fmt::format_to(std::back_inserter(text), "\tX{0}\tY{0}\tZ{0}", i);
  text += "\n\n";
  for (size_t i = 0; i < rows; ++i) {
    fmt::format_to(std::back_inserter(text), "{}\t{:.17g}", file.frames[i], file.table.times[i]);
    for (const double x : file.table.values.row(static_cast<Eigen::Index>(i))) {
      text += '\t';
      if (std::isfinite(x))
        fmt::format_to(std::back_inserter(text), "{:.17g}", millimetres ? 1e3 * x : x);
    }
    text += '\n';
  }
  write_whole_file(path, text);
}

}  // namespace sinew
