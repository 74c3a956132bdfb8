#include "sinew/io/scene/function_reader.hpp"

#include <cmath>

namespace sinew {
namespace {

double only_argument(const ObjectReader& in, const FunctionUnits& units) {
  if (units.arguments.size() != 1)
    in.fail(in.line(), "a function of this type has one argument", "give one in 'arguments'");
  return units.arguments.front();
}

PolynomialFunction read_polynomial(const ObjectReader& in, double value, double argument) {
  std::vector<double> c = in.numbers(in.at("coefficients"), -1, "coefficients", value);
  for (size_t k = 0; k < c.size(); ++k) c[k] /= std::pow(argument, static_cast<double>(k));
  return {std::move(c)};
}

SineFunction read_sine(const ObjectReader& in, double value, double argument) {
  return {in.number("amplitude", value), in.number_or("frequency", 1 / argument, 1 / argument),
          in.number_or("phase", 0), in.number_or("offset", 0, value)};
}

/// Functions of time that consist of one formula.
TimeFunction::Formula read_formula(const ObjectReader& in, const std::string& type, double unit) {
  constexpr double kSecond = 1;
  if (type == "constant") return ScalarFunction(ConstantFunction{in.number("value", unit)});
  if (type == "polynomial") return ScalarFunction(read_polynomial(in, unit, kSecond));
  if (type == "sine") return ScalarFunction(read_sine(in, unit, kSecond));
  return SigmoidFunction{in.number("amplitude", unit), in.number_or("rate", 1),
                         in.number_or("center", 0), in.number_or("offset", 0, unit)};
}

TimeFunction read_piecewise(const ObjectReader& in, double unit) {
  std::vector<double> starts = in.numbers(in.at("starts"), -1, "starts");
  const std::vector<JsonNode>& pieces = in.list("pieces");
  if (starts.size() != pieces.size() || pieces.empty())
    in.fail(in.line(), "needs as many 'pieces' as 'starts', at least one",
            "give the time at which each piece begins");
  for (size_t k = 1; k < starts.size(); ++k)
    if (!(starts[k] > starts[k - 1]))
      in.fail(in.at("starts").line, "'starts' does not increase", "put the pieces in order");
  std::vector<TimeFunction::Formula> formulas;
  for (const JsonNode& node : pieces) {
    const ObjectKind& kind = kind_of_type(in, node, scene_keys::kTimeFunctionTypes);
    const std::string type = type_of(kind);
    if (type == "table" || type == "piecewise")
      in.fail(node.line, "a piece cannot be a " + type + " itself",
              "use constant, polynomial, sine or logistic");
    formulas.push_back(
        read_formula(ObjectReader(in.context(), node, in.element(), kind), type, unit));
  }
  return TimeFunction::Piecewise(std::move(starts), std::move(formulas));
}

TimeFunction read_table(const ObjectReader& in, double unit) {
  static constexpr std::array kInterpolations = {TimeFunction::Interpolation::step,
                                                 TimeFunction::Interpolation::linear,
                                                 TimeFunction::Interpolation::cubic};
  const std::vector<double> times = in.numbers(in.at("times"), -1, "times");
  const std::vector<double> values = in.numbers(in.at("values"), -1, "values", unit);
  const size_t interpolation = in.choice("interpolation", {"step", "linear", "cubic"});
  try {
    return TimeFunction::Table(times, values, kInterpolations[interpolation], in.element());
  } catch (const Error& error) {
    throw in.context().located(error, in.line());
  }
}

}  // namespace

ScalarFunction read_function(const ValueReader& reader, const JsonNode& node,
                             const FunctionUnits& units) {
  const ObjectKind& kind = kind_of_type(reader, node, scene_keys::kFunctionTypes);
  const ObjectReader in(reader.context(), node, reader.element(), kind);
  const std::string type = type_of(kind);
  if (type == "constant") return ConstantFunction{in.number("value", units.value)};
  if (type == "linear") {
    std::vector<double> slopes =
        in.numbers(in.at("coefficients"), static_cast<int>(units.arguments.size()), "coefficients",
                   units.value);
    for (size_t k = 0; k < slopes.size(); ++k) slopes[k] /= units.arguments[k];
    return LinearFunction{std::move(slopes), in.number_or("offset", 0, units.value)};
  }
  const double argument = only_argument(in, units);
  if (type == "polynomial") return read_polynomial(in, units.value, argument);
  if (type == "sine") return read_sine(in, units.value, argument);
  return NaturalCubicSpline(in.numbers(in.at("x"), -1, "x", argument),
                            in.numbers(in.at("y"), -1, "y", units.value));
}

TimeFunction read_time_function(const ValueReader& reader, const JsonNode& node, double unit) {
  const ObjectKind& kind = kind_of_type(reader, node, scene_keys::kTimeFunctionTypes);
  const ObjectReader in(reader.context(), node, reader.element(), kind);
  const std::string type = type_of(kind);
  if (type == "table") return read_table(in, unit);
  if (type == "piecewise") return read_piecewise(in, unit);
  return std::visit([](auto&& formula) { return TimeFunction(std::move(formula)); },
                    read_formula(in, type, unit));
}

}  // namespace sinew
