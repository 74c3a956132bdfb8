#include "sinew/report/report_series.hpp"

#include <algorithm>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/report/report_frames.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostRows = 4000;       // twice the pixels of a wide screen
constexpr size_t kMostNumbers = 200000;  // in all curves: 4 bytes each, 5.3 in the page

std::vector<double> values_of(const MatX& table, Eigen::Index column) {
  const VecX values = table.col(column);
  return {values.begin(), values.end()};
}

MotionTable read_csv(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  TextLines lines(text, path.string());
  std::string_view line;
  std::vector<std::string_view> cells;
  const auto split = [&] {
    cells.clear();
    for (size_t from = 0;;) {
      const size_t comma = line.find(',', from);
      cells.push_back(trimmed(line.substr(from, comma - from)));
      if (comma == std::string_view::npos) break;
      from = comma + 1;
    }
  };
  MotionTable out;
  out.name = path.filename().string();
  if (!lines.next(line)) lines.fail_file("the table", "is empty", "run it again");
  split();
  if (cells[0] != "time") lines.fail("the table", "does not begin with time", "run it again");
  for (size_t k = 1; k < cells.size(); ++k) out.labels.emplace_back(cells[k]);
  std::vector<double> numbers;
  while (lines.next(line)) {
    split();
    if (lines.cut()) break;  // the run was killed while it wrote this row
    if (cells.size() != out.labels.size() + 1)
      lines.fail("the row", "has " + std::to_string(cells.size()) + " cells", "run it again");
    for (const std::string_view cell : cells)
      if (!parse_number(cell, numbers.emplace_back()))
        lines.fail("the row", quoted_word(cell) + " is not a number", "run it again");
    out.times.push_back(*(numbers.end() - static_cast<std::ptrdiff_t>(cells.size())));
  }
  if (out.times.empty()) lines.fail_file("the table", "has no rows", "run it again");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(out.times.size());
  const auto columns = static_cast<Eigen::Index>(out.labels.size());
  out.values = Eigen::Map<const Rows>(numbers.data(), rows, columns + 1).rightCols(columns);
  return out;
}

std::string quantity_of(const Coordinate& coordinate, bool rate) {
  if (coordinate.kind == CoordinateKind::length) return rate ? "speed" : "length";
  return rate ? "angular velocity" : "angle";
}

std::vector<ReportGroup> energy_groups(const MotionTable& table) {
  const auto column = [&](const char* name) { return VecX(table.values.col(table.column(name))); };
  const VecX kinetic = column("kinetic"), total = column("total");
  const VecX change = total.array() - total[0];
  const VecX potential = (total - kinetic).array() - (total[0] - kinetic[0]);
  const auto curve = [](const char* name, const VecX& v) {
    return ReportColumn{name, "energy", {v.begin(), v.end()}};
  };
  return {{"energy",
           "Energy",
           {curve("kinetic", kinetic), curve("potential, change", potential),
            curve("total, change", change)}},
          {"drift", "Total energy, change since the start", {curve("total, change", change)}}};
}

std::vector<ReportGroup> muscle_groups(const MotionTable& table, const System& system) {
  struct Kind {
    const char *suffix, *id, *title, *quantity;
  };
  static constexpr Kind kKinds[] = {
      {"_length", "muscle-length", "Muscle length", "length"},
      {"_rate", "muscle-rate", "Lengthening speed of muscles", "speed"},
      {"_tension", "muscle-tension", "Muscle tension", "force"},
      {"_activation", "muscle-activation", "Activation", "ratio"},
      {"_fibre_length", "muscle-fibre", "Fibre length", "length"},
      {"_wrapped_angle", "muscle-wrapped", "Wrapped angle", "angle"}};
  std::vector<ReportGroup> out;
  for (const Kind& kind : kKinds) {
    ReportGroup group{kind.id, kind.title, {}};
    for (const auto& muscle : system.muscles())
      if (const int k = table.find(muscle->name() + kind.suffix); k >= 0)
        group.columns.push_back({muscle->name(), kind.quantity, values_of(table.values, k)});
    if (!group.columns.empty()) out.push_back(std::move(group));
  }
  ReportGroup power{"muscle-power", "Power of muscles", {}};
  for (const auto& muscle : system.muscles()) {
    const int tension = table.find(muscle->name() + "_tension");
    const int rate = table.find(muscle->name() + "_rate");
    if (tension < 0 || rate < 0 || table.values.col(tension).isZero(0)) continue;
    const VecX values = -table.values.col(tension).cwiseProduct(table.values.col(rate));
    power.columns.push_back({muscle->name(), "power", {values.begin(), values.end()}});
  }
  if (!power.columns.empty()) out.push_back(std::move(power));
  return out;
}

std::vector<ReportGroup> state_groups(const MotionTable& table, const System& system) {
  const std::vector<Coordinate>& all = system.all_coordinates();
  const auto count = static_cast<Eigen::Index>(all.size());
  MatX q(table.values.rows(), count), qdot(table.values.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::string& name = all[static_cast<size_t>(k)].name;
    q.col(k) = table.values.col(table.column(name));
    qdot.col(k) = table.values.col(table.column(name + "_u"));
  }
  return coordinate_groups(all, q, qdot);
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace

MotionTable read_result_table(const std::filesystem::path& path) {
  if (path.extension() == ".csv") return read_csv(path);
  return read_storage(path).table;
}

std::vector<ReportGroup> coordinate_groups(const std::vector<Coordinate>& coordinates,
                                           const MatX& q, const MatX& qdot) {
  ReportGroup values{"coordinates", "Coordinates", {}}, speeds{"speeds", "Speeds", {}};
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const Coordinate& c = coordinates[k];
    values.columns.push_back({c.name, quantity_of(c, false), values_of(q, column)});
    speeds.columns.push_back({c.name, quantity_of(c, true), values_of(qdot, column)});
  }
  return {values, speeds};
}

std::vector<ReportGroup> groups_of_table(const std::string& name, const MotionTable& table,
                                         const System& system) {
  if (table.times.empty() || name == "bodies") return {};
  if (name == "states") return state_groups(table, system);
  if (name == "energy") return energy_groups(table);
  if (name == "muscles") return muscle_groups(table, system);
  ReportGroup group{name, capitalized(name), {}};
  for (size_t k = 0; k < table.labels.size(); ++k) {
    const std::string& label = table.labels[k];
    const bool moment = label.find("_torque") != std::string::npos;
    const bool force = label.find("_force") != std::string::npos;
    group.columns.push_back({label,
                             moment  ? "moment"
                             : force ? "force"
                                     : "number",
                             values_of(table.values, static_cast<Eigen::Index>(k))});
  }
  return {group};
}

ordered_json write_groups(const std::vector<double>& t, const std::vector<ReportGroup>& groups,
                          ReportData& data) {
  size_t columns = 1;
  for (const ReportGroup& group : groups) columns += group.columns.size();
  const std::vector<size_t> rows =
      thinned(t, std::clamp<size_t>(kMostNumbers / columns, 2, kMostRows));
  const auto pick = [&](const std::vector<double>& values) {
    std::vector<double> out;
    for (const size_t k : rows) out.push_back(values[k]);
    return data.floats(out);
  };
  ordered_json out = {{"time", pick(t)}, {"rows", t.size()}, {"groups", ordered_json::array()}};
  for (const ReportGroup& group : groups) {
    ordered_json one = {{"id", group.id}, {"title", group.title}};
    if (!group.section.empty()) one["section"] = group.section;
    for (const ReportColumn& column : group.columns)
      one["columns"].push_back(
          {{"name", column.name}, {"quantity", column.quantity}, {"values", pick(column.values)}});
    out["groups"].push_back(one);
  }
  return out;
}

}  // namespace sinew
