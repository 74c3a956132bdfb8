#include "sinew/report/inertia_answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/analysis/inertia_verdict.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

using Joints = std::vector<const ordered_json*>;

double number(const ordered_json& row, const char* key) { return row.at(key).get<double>(); }
std::string coordinate(const ordered_json& row) { return row.at("coordinate").get<std::string>(); }

/// The joints with a verdict, those with the largest change first.
Joints joints_with(const ordered_json& moments, Verdict verdict) {
  Joints out;
  for (const ordered_json& row : moments)
    if (!row.at("root").get<bool>() && row.at("verdict") == name_of(verdict)) out.push_back(&row);
  std::sort(out.begin(), out.end(), [](const ordered_json* a, const ordered_json* b) {
    return number(*a, "change") > number(*b, "change");
  });
  return out;
}

/// Two significant digits below 10 %.
std::string number_of(double part) {
  return fmt::format("{:.{}f}", 100 * part, part < 0.0995 ? 1 : 0);
}

/// "ankle 12 % (9.1 to 15 %; filter 6.0 %, segment inertias 5.2 %)".
std::string change_of(const ordered_json& row) {
  const auto part = [&](const char* key) { return number_of(number(row, key)); };
  return fmt::format("{} {} % ({} to {} %; filter {} %, segment inertias {} %)", coordinate(row),
                     part("change"), part("least_change"), part("most_change"),
                     part("change_by_filter"), part("change_by_inertia"));
}

std::string list(const Joints& joints) {
  std::vector<std::string> out;
  for (const ordered_json* row : joints) out.push_back(change_of(*row));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string names(const Joints& rows) {
  std::vector<std::string> out;
  for (const ordered_json* row : rows) out.push_back(coordinate(*row));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

ordered_json describe_answer(const ordered_json& moments) {
  const Joints matters = joints_with(moments, Verdict::matters),
               may = joints_with(moments, Verdict::may_matter),
               below = joints_with(moments, Verdict::below),
               small = joints_with(moments, Verdict::small_moment);
  std::string sentence = "Muscle mass affects no joint whose moment is large enough to be judged.";
  if (!matters.empty())
    sentence = fmt::format("Muscle mass matters for {}.", names(matters));
  else if (!may.empty())
    sentence = fmt::format("Muscle mass may matter for {}.", names(may));
  else if (!below.empty())
    sentence = "Muscle mass does not stand out: filter and segment inertias matter more.";
  std::vector<std::string> details;
  if (!matters.empty())
    details.push_back(fmt::format(
        "It changes these moments, in parts of the largest one, more than filter and segment "
        "inertias do: {}.",
        list(matters)));
  if (!may.empty())
    details.push_back(fmt::format(
        "{} it changes the moment more than filter and segment inertias do depends on masses and "
        "bellies: {}.",
        matters.empty() ? "Whether" : "For others, whether", list(may)));
  if (!below.empty())
    details.push_back(
        fmt::format("For {} {} joint{} filter or segment inertias change the moment more; it "
                    "changes most that of {}.",
                    matters.empty() && may.empty() ? "all" : "the other", below.size(),
                    below.size() == 1 ? "" : "s", change_of(*below.front())));
  if (!small.empty())
    details.push_back(fmt::format("The moments of {} are too small to be judged.", names(small)));
  return {{"stands_out", !matters.empty()}, {"sentence", sentence}, {"details", details}};
}

}  // namespace sinew
