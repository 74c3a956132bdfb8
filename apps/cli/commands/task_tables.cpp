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
  fmt::print("\n  {:<28} {:>14} {:>14}\n", "parameter", "value", derived ? "derivative" : "");
  const size_t shown = std::min(kRowsShown, parameters.size());
  for (size_t k = 0; k < shown; ++k) {
    const ordered_json& p = parameters[k];
    print_row(fmt::format(
        "  {:<28} {:>14.6g} {:>14} {}", p["name"].get<std::string>(), p["value"].get<double>(),
        derived ? fmt::format("{:.6g}", p["gradient"].get<double>()) : "",
        p.contains("at") ? "at its " + p["at"].get<std::string>() + " limit" : ""));
  }
  print_more(parameters.size());
}

void print_identification(const ordered_json& told) {
  fmt::print("\n  {:<28} {:>14}   from {} data, noise {:.3g}\n", "parameter", "deviation",
             told["data"].get<int>(), told["noise"].get<double>());
  size_t row = 0;
  for (const auto& [name, deviation] : told["deviations"].items()) {
    if (row++ == kRowsShown) break;
    const std::string text = deviation.is_null() ? "not told"
                             : deviation.get<double>() == 0
                                 ? "at a limit"
                                 : fmt::format("{:.3g}", deviation.get<double>());
    fmt::print("  {:<28} {:>14}\n", name, text);
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
