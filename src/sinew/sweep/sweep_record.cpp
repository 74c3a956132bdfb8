#include "sinew/sweep/sweep_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/analysis/design/sensitivity.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A number, or null where there is none.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json describe_index(const SensitivityIndex& index) {
  return {{"value", number(index.value)},
          {"lower", number(index.lower)},
          {"upper", number(index.upper)}};
}

/// Mean, deviation and range of what is a number.
ordered_json describe_spread(const std::vector<double>& values) {
  double sum = 0, least = kUnknown, largest = kUnknown, count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
    least = std::isnan(least) ? value : std::min(least, value);
    largest = std::isnan(largest) ? value : std::max(largest, value);
  }
  const double mean = count > 0 ? sum / count : kUnknown;
  double squares = 0;
  for (const double value : values)
    if (std::isfinite(value)) squares += (value - mean) * (value - mean);
  const double deviation = count > 1 ? std::sqrt(squares / (count - 1)) : kUnknown;
  return {{"values", static_cast<std::uint64_t>(count)},
          {"mean", number(mean)},
          {"deviation", number(deviation)},
          {"least", number(least)},
          {"largest", number(largest)}};
}

ordered_json describe_indices(const StudyRunner& runner, const std::vector<double>& values,
                              int most_samples) {
  const std::vector<StudyParameter>& parameters = runner.study().parameters;
  const SensitivityIndices found =
      sensitivity_indices(values, parameters.size(), runner.design().options().seed, most_samples);
  ordered_json out = {{"base_points", found.used}, {"parameters", ordered_json::object()}};
  for (size_t j = 0; j < parameters.size(); ++j)
    out["parameters"][parameters[j].name] = {{"first", describe_index(found.first[j])},
                                             {"total", describe_index(found.total[j])}};
  return out;
}

}  // namespace

ordered_json describe_row(const StudyRunner& runner, const StudyRow& row) {
  ordered_json parameters = ordered_json::object(), results = parameters;
  const std::vector<double> point = runner.design().point(row.run);
  for (size_t j = 0; j < point.size(); ++j)
    parameters[runner.study().parameters[j].name] = point[j];
  for (size_t k = 0; k < row.results.size(); ++k)
    results[runner.study().results[k].name] = number(row.results[k]);
  return {{"run", row.run},
          {"parameters", parameters},
          {"status", name_of(row.status)},
          {"results", results},
          {"time", row.time},
          {"reason", row.reason},
          {"seconds", row.seconds},
          {"command", runner.command(row.run)}};
}

StudyRow row_from(const ordered_json& described, const Study& study) {
  StudyRow row{.run = described.value("run", std::uint64_t{0}),
               .time = described.value("time", 0.0),
               .reason = described.value("reason", ""),
               .seconds = described.value("seconds", 0.0)};
  const std::string status = described.value("status", "");
  for (size_t k = 1; k < kRowStatusNames.size(); ++k)
    if (status == kRowStatusNames[k]) row.status = static_cast<RowStatus>(k);
  for (const StudyResult& result : study.results) {
    const auto& value = described.at("results").at(result.name);
    row.results.push_back(value.is_number() ? value.get<double>() : kUnknown);
  }
  return row;
}

ordered_json describe_study(const StudyRunner& runner, const CommandTemplate& sweep) {
  static constexpr const char* kKinds[] = {"model", "initial", "excitation", "duration", "task"};
  static constexpr const char* kOf[] = {"output", "objective", "gradient"};
  const Study& study = runner.study();
  const auto& parameters = study.parameters;
  const auto& results = study.results;
  const std::vector<std::string> parameter_units = runner.base().parameter_units(),
                                 result_units = runner.base().result_units();
  ordered_json out = {
      {"title", study.title},
      {"description", study.description},
      {"citation", study.citation},
      {study.task.empty() ? "model" : "task", study.task.empty() ? study.model : study.task},
      {"design",
       {{"type", DesignOptions::names()[static_cast<size_t>(study.design.kind)]},
        {"runs", study.design.runs},
        {"seed", study.design.seed}}}};
  for (size_t j = 0; j < parameters.size(); ++j)
    out["columns"]["parameters"].push_back(
        {{"name", parameters[j].name},
         {"type", kKinds[static_cast<size_t>(parameters[j].kind)]},
         {"target", parameters[j].target},
         {"scale", std::holds_alternative<LogUniform>(parameters[j].distribution) ? "logarithmic"
                                                                                  : "linear"},
         {"unit", parameter_units[j]}});
  for (size_t k = 0; k < results.size(); ++k) {
    ordered_json one = {{"name", results[k].name},
                        {kOf[static_cast<size_t>(results[k].of)], results[k].output}};
    if (results[k].of == StudyResult::Of::output)
      one["measure"] = StudyResult::measure_names()[static_cast<size_t>(results[k].measure)];
    one["unit"] = result_units[k];
    out["columns"]["results"].push_back(std::move(one));
  }
  const auto add_command = [&](const char* name, const CommandTemplate& command) {
    out["commands"][name] = {{"text", command.text}, {"places", command.places}};
  };
  if (const auto simulate = runner.base().command()) add_command("simulate", *simulate);
  add_command("sweep", sweep);
  out["files"] = {"table.csv"};
  return out;
}

ordered_json describe_sweep(const StudyRunner& runner, const StudyRows& rows, int most_samples) {
  ordered_json runs = {{"count", rows.count()}};
  for (size_t k = 0; k < kRowStatusNames.size(); ++k)
    runs[kRowStatusNames[k]] = rows.with(static_cast<RowStatus>(k));
  ordered_json results = ordered_json::object();
  const std::vector<StudyParameter>& parameters = runner.study().parameters;
  std::vector<std::vector<double>> columns(parameters.size());
  const bool saltelli = runner.design().options().kind == DesignOptions::Kind::saltelli;
  for (std::uint64_t run = 0; run < rows.count() && !saltelli; ++run) {
    const std::vector<double> point = runner.design().point(run);
    for (size_t j = 0; j < point.size(); ++j) columns[j].push_back(point[j]);
  }
  for (size_t k = 0; k < rows.results(); ++k) {
    // Results of runs that did not come to their end are those of another time.
    std::vector<double> values = rows.column(k);
    for (std::uint64_t run = 0; run < rows.count(); ++run)
      if (rows.status(run) != RowStatus::passed && rows.status(run) != RowStatus::audit_failed)
        values[run] = kUnknown;
    ordered_json one = describe_spread(values);
    if (saltelli) {
      one["indices"] = describe_indices(runner, values, most_samples);
    } else {
      one["rank_correlations"] = ordered_json::object();
      for (size_t j = 0; j < parameters.size(); ++j)
        one["rank_correlations"][parameters[j].name] = number(rank_correlation(columns[j], values));
    }
    results[runner.study().results[k].name] = std::move(one);
  }
  return {{"runs", std::move(runs)}, {"results", std::move(results)}};
}

}  // namespace sinew
