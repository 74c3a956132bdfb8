#include "sinew/sweep/run_measures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sinew/core/names.hpp"
#include "sinew/report/column_units.hpp"

namespace sinew {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// "muscles/soleus_tension", or a label that only one table has.
std::pair<size_t, size_t> find_output(const std::string& output, const RunColumns& columns) {
  std::vector<std::string> known, full;
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t t = 0; t < columns.tables().size(); ++t) {
    const RunColumns::Table& table = columns.tables()[t];
    for (size_t k = 0; k < table.labels.size(); ++k) {
      const std::string& label = table.labels[k];
      if (table.name + "/" + label == output) return {t, k};
      known.push_back(output.find('/') == std::string::npos ? label : table.name + "/" + label);
      if (label != output) continue;
      found.emplace_back(t, k);
      full.push_back(table.name + "/" + label);
    }
  }
  if (found.size() == 1) return found[0];
  if (found.empty())
    throw Error("result", "'" + output + "' is not a column of the run's tables",
                suggest(output, known));
  throw Error("result", "'" + output + "' is a column of several tables",
              fmt::format("give one of {}", fmt::join(full, ", ")));
}

std::string unit_of(StudyResult::Measure measure, const std::string& unit) {
  using Measure = StudyResult::Measure;
  if (measure == Measure::time_of_peak || measure == Measure::time_of_crossing) return "s";
  if (measure != Measure::integral || unit.empty()) return unit;
  if (unit.ends_with("/s")) return unit.substr(0, unit.size() - 2);
  return unit + "·s";
}

}  // namespace

RunMeasures::RunMeasures(const Study& study, const LoadedModel& model, const System& system)
    : columns_(system, model.name, model.state_names) {
  for (const StudyResult& result : study.results) {
    if (result.of != StudyResult::Of::output) continue;
    try {
      const auto [table, column] = find_output(result.output, columns_);
      results_.push_back({.measure = result.measure,
                          .level = result.level,
                          .table = table,
                          .column = column,
                          .crossing = kNever});
      const RunColumns::Table& of = columns_.tables()[table];
      units_.push_back(unit_of(result.measure, unit_of_column(system, of.name, of.labels[column])));
    } catch (const Error& error) {
      throw study.located(error, result.line);
    }
  }
}

void RunMeasures::add_row(const State& state, const Snapshot& snapshot,
                          std::span<const double> reactions, Workspace& ws) {
  columns_.update(state, snapshot, reactions, ws);
  for (Column& c : results_) {
    const double value = columns_.tables()[c.table].values[c.column], t = state.t;
    if (!c.any) {
      c.first_time = t;
    } else {
      c.integral += 0.5 * (t - c.time) * (c.value + value);
      const double before = c.value - c.level, after = value - c.level;
      if (std::isnan(c.crossing) && before != after && before * after <= 0)
        c.crossing = c.time + (t - c.time) * before / (before - after);
    }
    if (!c.any || value > c.peak) {
      c.peak = value;
      c.peak_time = t;
    }
    if (!c.any || value < c.least) c.least = value;
    c.any = true;
    c.time = t;
    c.value = value;
  }
}

std::vector<double> RunMeasures::values() const {
  using Measure = StudyResult::Measure;
  std::vector<double> out;
  for (const Column& c : results_) {
    const auto value = [&] {
      switch (c.measure) {
        case Measure::final:
          return c.value;
        case Measure::peak:
          return c.peak;
        case Measure::least:
          return c.least;
        case Measure::mean:
          return c.time > c.first_time ? c.integral / (c.time - c.first_time) : c.value;
        case Measure::integral:
          return c.integral;
        case Measure::time_of_peak:
          return c.peak_time;
        case Measure::time_of_crossing:
          return c.crossing;
      }
      return kNever;
    };
    out.push_back(c.any ? value() : kNever);
  }
  return out;
}

}  // namespace sinew
