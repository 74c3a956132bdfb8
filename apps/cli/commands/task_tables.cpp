#include "cli/commands/task_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

/// A row of a table, without blanks at its end.
void print_row(std::string row) {
  row.erase(row.find_last_not_of(' ') + 1);
  fmt::print("{}\n", row);
}

/// Of a first column with these names.
size_t width_of(const std::vector<std::string>& names) {
  size_t out = 28;
  for (const std::string& name : names) out = std::max(out, name.size());
  return out;
}

}  // namespace

void print_task(const ordered_json& record) {
  const size_t count = record["parameters"].size();
  fmt::print("{}: {}\n", record["task"].get<std::string>(), record["title"].get<std::string>());
  fmt::print("  {}, {}, dt = {:g} s, {} steps, {} parameter{}\n",
             record["model"].get<std::string>(), record["integrator"].get<std::string>(),
             record["dt"].get<double>(), record["steps"].get<int>(), count, count == 1 ? "" : "s");
}

void print_terms(const ordered_json& terms) {
  fmt::print("\n  {:<28} {:>14} {:>14}\n", "objective", "value", "miss");
  for (const ordered_json& term : terms)
    print_row(
        fmt::format("  {:<28} {:>14.6g} {:>14} {}", term["name"].get<std::string>(),
                    term["value"].get<double>(),
                    term.contains("miss") ? fmt::format("{:.6g}", term["miss"].get<double>()) : "",
                    term.value("unit", "")));
}

void print_parameters(const ordered_json& parameters) {
  const bool derived = !parameters.empty() && parameters[0].contains("gradient");
  const size_t shown = std::min(kRowsShown, parameters.size());
  std::vector<std::string> names;
  for (size_t k = 0; k < shown; ++k) names.push_back(parameters[k]["name"]);
  const size_t width = width_of(names);
  fmt::print("\n  {:<{}} {:>14} {:>14}\n", "parameter", width, "value",
             derived ? "derivative" : "");
  for (size_t k = 0; k < shown; ++k) {
    const ordered_json& p = parameters[k];
    print_row(
        fmt::format("  {:<{}} {:>14.6g} {:>14} {}", names[k], width, p["value"].get<double>(),
                    derived ? fmt::format("{:.6g}", p["gradient"].get<double>()) : "",
                    p.contains("at") ? "at its " + p["at"].get<std::string>() + " limit" : ""));
  }
  print_more(parameters.size());
}

void print_identification(const ordered_json& told) {
  std::vector<std::string> names;
  for (const auto& entry : told["deviations"].items())
    if (names.size() < kRowsShown) names.push_back(entry.key());
  const size_t width = width_of(names);
  fmt::print("\n  {:<{}} {:>14}   from {} data, noise {:.3g}\n", "parameter", width, "deviation",
             told["data"].get<int>(), told["noise"].get<double>());
  for (const std::string& name : names) {
    const ordered_json& deviation = told["deviations"][name];
    const std::string text =
        deviation.is_null() ? "not told" : fmt::format("{:.3g}", deviation.get<double>());
    fmt::print("  {:<{}} {:>14}\n", name, width, text);
  }
  print_more(told["deviations"].size());
  if (told["unresolved"].empty()) return;
  fmt::print("\n  The data cannot tell these combinations, in scales of the parameters:\n");
  for (const ordered_json& combination : told["unresolved"])
    fmt::print("  {}\n", combination.get<std::string>());
}

void print_kinks(const ordered_json& kinks) {
  if (kinks.empty()) return;
  fmt::print("\n  The objective has corners, which the run passes where laws bend:\n");
  const size_t shown = std::min(kRowsShown, kinks.size());
  for (size_t k = 0; k < shown; ++k)
    fmt::print("  {:<28} {:>5} times\n", kinks[k]["element"].get<std::string>(),
               kinks[k]["count"].get<int>());
  print_more(kinks.size());
}

}  // namespace sinew::cli
