#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/math/time_function.hpp"

/// Functions as data: of coordinates, for joints and couplings; of time, for prescribed motions.

namespace sinew {

/// The units of a function's numbers: SI values of the file's units of its value and of each of its
/// arguments.
struct FunctionUnits {
  double value = 1;
  std::vector<double> arguments;
};
ScalarFunction read_function(const ValueReader& reader, const JsonNode& node,
                             const FunctionUnits& units);

/// `unit` is that of its value; time is in seconds.
TimeFunction read_time_function(const ValueReader& reader, const JsonNode& node, double unit);

}  // namespace sinew
