#include "sinew/io/osim/functions.hpp"

#include <algorithm>
#include <array>

namespace sinew {
namespace {

ScalarFunction read_linear(const OsimElement& in, int arguments) {
  std::vector<double> coefficients = in.numbers("coefficients");
  if (coefficients.empty()) coefficients = {1, 0};  // OpenSim's default
  if (static_cast<int>(coefficients.size()) != arguments + 1)
    in.fail("has " + std::to_string(coefficients.size()) + " coefficients for " +
                std::to_string(arguments) + " coordinates",
            "give a slope for every coordinate, then the value at zero");
  const double offset = coefficients.back();
  coefficients.pop_back();
  return LinearFunction{std::move(coefficients), offset};
}

/// OpenSim has the highest power first.
ScalarFunction read_polynomial(const OsimElement& in) {
  const std::vector<double> coefficients = in.numbers("coefficients");
  return PolynomialFunction{{coefficients.rbegin(), coefficients.rend()}};
}

ScalarFunction read_natural(const OsimElement& in) {
  const double half_order = in.number("half_order", 3);
  if (in.number("error_variance", 0) != 0)
    in.fail("smooths its points (<error_variance> is not zero)",
            "set it to 0, or replace it by a SimmSpline");
  const int m = half_order >= 1 && half_order <= 4 ? static_cast<int>(half_order) : 0;
  return PiecewisePolynomial::Natural(in.numbers("x"), in.numbers("y"), m);
}

ScalarFunction read_multiplier(const OsimElement& in, int arguments) {
  const std::optional<OsimElement> inner = find_osim_function(in, "function");
  if (!inner) in.fail("multiplies nothing", "give it a <function>");
  return scaled(read_osim_function(*inner, arguments), in.number("scale", 1));
}

/// A function of one argument; none for unknown kinds.
std::optional<ScalarFunction> read_univariate(const OsimElement& in) {
  const std::string type = in.type();
  if (type == "SimmSpline" || type == "NaturalCubicSpline" || type == "natCubicSpline")
    return PiecewisePolynomial::EndCubic(in.numbers("x"), in.numbers("y"));
  if (type == "PiecewiseLinearFunction")
    return PiecewisePolynomial::Linear(in.numbers("x"), in.numbers("y"));
  if (type == "PolynomialFunction") return read_polynomial(in);
  if (type == "GCVSpline") return read_natural(in);
  if (type == "Sine")
    return SineFunction{in.number("amplitude", 1), in.number("omega", 1), in.number("phase", 0),
                        in.number("offset", 0)};
  return std::nullopt;
}

}  // namespace

bool is_osim_function(std::string_view type) {
  static constexpr std::array kTypes = {"Constant",
                                        "LinearFunction",
                                        "SimmSpline",
                                        "NaturalCubicSpline",
                                        "natCubicSpline",
                                        "PiecewiseLinearFunction",
                                        "PolynomialFunction",
                                        "GCVSpline",
                                        "Sine",
                                        "MultiplierFunction",
                                        "StepFunction",
                                        "PiecewiseConstantFunction",
                                        "SignalGenerator",
                                        "MultivariatePolynomialFunction",
                                        "ExpressionBasedFunction"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::optional<OsimElement> find_osim_function(const OsimElement& owner, const char* key) {
  for (const pugi::xml_node& child : owner.node().children()) {
    const std::string_view name = child.attribute("name").value();
    if (is_osim_function(child.name()) && (name == key || name.empty()))
      return OsimElement(owner.document(), child);
  }
  return owner.object(key);
}

ScalarFunction read_osim_function(const OsimElement& in, int arguments) {
  const std::string type = in.type();
  if (type == "Constant") return ConstantFunction{in.number("value", 0)};
  if (type == "LinearFunction") return read_linear(in, arguments);
  if (type == "MultiplierFunction") return read_multiplier(in, arguments);
  const std::optional<ScalarFunction> f = read_univariate(in);
  if (!f)
    in.fail("is a kind of function that cannot be read",
            "replace it by a Constant, LinearFunction, PolynomialFunction, SimmSpline, "
            "PiecewiseLinearFunction, GCVSpline, Sine or MultiplierFunction");
  if (arguments != 1) in.fail("takes one coordinate, not " + std::to_string(arguments), "name one");
  if (const std::string defect = function_defect(*f); !defect.empty())
    in.fail(defect, "correct its numbers");
  return *f;
}

}  // namespace sinew
