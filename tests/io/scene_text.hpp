#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

namespace sinew::test {

/// Writes every {value unit} of the text as a number of the given units.
inline std::string in_units(std::string text, const std::string& name, double metre,
                            double kilogram) {
  const std::map<std::string, double> units = {{"m", metre},
                                               {"1/m", 1 / metre},
                                               {"1/m2", 1 / (metre * metre)},
                                               {"kg", kilogram},
                                               {"kgm", kilogram * metre},
                                               {"kgm2", kilogram * metre * metre},
                                               {"kg/m3", kilogram / (metre * metre * metre)}};
  text.replace(text.find("UNITS"), 5, name);
  for (size_t open = text.find('{', 1); open != std::string::npos;
       open = text.find('{', open + 1)) {
    const size_t close = text.find('}', open), space = text.find(' ', open);
    const std::string unit = text.substr(space + 1, close - space - 1);
    if (text[open + 1] == '"' || units.count(unit) == 0) continue;
    const double value = std::stod(text.substr(open + 1, space - open - 1)) * units.at(unit);
    text.replace(open, close - open + 1, fmt::format("{:.17g}", value));
  }
  return text;
}

}  // namespace sinew::test
