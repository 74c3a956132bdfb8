#include "sinew/core/names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Letters to insert, remove, replace, or swap with their neighbour (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = before[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, before[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  // Names come from files: an empty or enormous one is not a misspelling.
  if (name.empty() || name.size() > 200) return {};
  std::string best;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // At least as many letters must change as the lengths differ by.
    const size_t a = name.size(), b = candidate.size();
    if (std::max(a, b) - std::min(a, b) >= best_distance) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest_name(name, candidates); !near.empty())
    return "did you mean '" + near + "'?";
  if (candidates.empty()) return "none is defined";
  constexpr size_t kShown = 8;
  std::string text = "known: ";
  for (size_t i = 0; i < std::min(kShown, candidates.size()); ++i)
    text += (i > 0 ? ", " : "") + candidates[i];
  if (candidates.size() > kShown) text += ", …";
  return text;
}

void require_coordinate_name(const std::string& name) {
  if (name == "time")
    throw Error("coordinate 'time'", "has the name of the time column in tables",
                "choose another name");
}

}  // namespace sinew
