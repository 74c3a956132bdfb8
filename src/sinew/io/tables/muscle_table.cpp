#include "sinew/io/tables/muscle_table.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

namespace sinew {
namespace {

/// Cells between commas, trimmed; quotes around a cell keep commas in it, two of them are one.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t k = 0; k < line.size(); ++k) {
    const bool quote = line[k] == '"';
    if (quote && quoted && k + 1 < line.size() && line[k + 1] == '"')
      out.back() += line[k++];
    else if (quote)
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[k];
  }
  for (std::string& cell : out) cell = trimmed(cell);
  return out;
}

}  // namespace

std::map<std::string, MuscleTableRow> read_muscle_table(const std::filesystem::path& path) {
  return parse_muscle_table(read_text_file(path), path.string());
}

std::map<std::string, MuscleTableRow> parse_muscle_table(std::string_view text,
                                                         const std::string& source) {
  static const std::vector<std::string> kColumns = {"muscle", "mass", "belly_begin", "belly_end"};
  TextLines lines(text, source);
  std::string_view line;
  if (!lines.next(line)) lines.fail_file("the table", "is empty", "give muscle,mass");
  const std::vector<std::string> header = split(line);
  if ((header.size() != 2 && header.size() != 4) ||
      !std::equal(header.begin(), header.end(), kColumns.begin()))
    lines.fail("the table", "does not begin with its columns",
               "write muscle,mass or muscle,mass,belly_begin,belly_end");
  std::map<std::string, MuscleTableRow> out;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> cells = split(line);
    const std::string element = "muscle '" + cells[0] + "'";
    if (cells.size() != header.size())
      lines.fail(element, "has " + std::to_string(cells.size()) + " cells",
                 "give " + std::to_string(header.size()));
    MuscleTableRow row;
    row.has_belly = header.size() > 2;
    double* const into[] = {&row.mass, &row.belly_begin, &row.belly_end};
    for (size_t k = 1; k < cells.size(); ++k)
      if (!parse_number(cells[k], *into[k - 1]))
        lines.fail(element, quoted_word(cells[k]) + " is not a number", "give " + kColumns[k]);
    if (!(row.mass > 0 && std::isfinite(row.mass)))
      lines.fail(element, "has a mass that is not positive", "omit muscles without mass");
    if (!(0 <= row.belly_begin && row.belly_begin < row.belly_end && row.belly_end <= 1))
      lines.fail(element, "has a belly that is not part of the path",
                 "give fractions 0 ≤ begin < end ≤ 1");
    if (!out.emplace(cells[0], row).second)
      lines.fail(element, "is listed twice", "omit one of them");
  }
  return out;
}

void apply_muscle_table(const std::map<std::string, MuscleTableRow>& table,
                        std::vector<Muscle>& muscles) {
  std::vector<std::string> names;
  for (const Muscle& muscle : muscles) names.push_back(muscle.name);
  for (const auto& [name, row] : table) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error("table of muscles", "there is no muscle '" + name + "'", suggest(name, names));
    Muscle& muscle = muscles[static_cast<size_t>(found - names.begin())];
    muscle = with_mass(muscle, row.mass);
    if (row.has_belly) muscle.material = MaterialMap::Uniform(row.belly_begin, row.belly_end);
  }
}

}  // namespace sinew
