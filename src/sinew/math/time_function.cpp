#include "sinew/math/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew {
namespace {

std::array<double, 3> derivatives(const ScalarFunction& f, double x) {
  constexpr int argument = 0;
  constexpr double rate = 1;
  const JointFunctionValue jet = evaluate(f, {&argument, 1}, {&x, 1}, {&rate, 1});
  return {jet.value, jet.gradient[0], jet.hessian[0][0]};
}

std::array<double, 3> derivatives(const SigmoidFunction& f, double x) {
  // With s the unit sigmoid, s' = s (1 − s), s'' = s' (1 − 2s); e^{−|·|} does not overflow.
  const double z = f.rate * (x - f.center), e = std::exp(-std::abs(z));
  const double s = (z < 0 ? e : 1) / (1 + e), slope = e / ((1 + e) * (1 + e));
  return {f.offset + f.amplitude * s, f.amplitude * f.rate * slope,
          f.amplitude * f.rate * f.rate * slope * (1 - 2 * s)};
}

std::string formula_defect(const TimeFunction::Formula& formula) {
  if (const auto* s = std::get_if<SigmoidFunction>(&formula))
    return std::isfinite(s->amplitude) && std::isfinite(s->rate) && std::isfinite(s->center) &&
                   std::isfinite(s->offset)
               ? ""
               : "function has a coefficient that is not finite";
  const auto& f = std::get<ScalarFunction>(formula);
  if (argument_count(f) > 1) return "function has several arguments where time is the only one";
  return function_defect(f);
}

}  // namespace

TimeFunction TimeFunction::Piecewise(std::vector<double> starts, std::vector<Formula> formulas) {
  TimeFunction out;
  for (Formula& f : formulas) out.pieces_.push_back({0, std::move(f)});
  if (!starts.empty()) out.starts_.assign(starts.begin() + 1, starts.end());
  return out;
}

TimeFunction TimeFunction::Table(const std::vector<double>& times,
                                 const std::vector<double>& values, Interpolation interpolation,
                                 const std::string& element) {
  std::vector<VecX> rows;
  for (const double v : values) rows.push_back(VecX::Constant(1, v));
  TimeTable::FromRows(times, rows, TimeTable::Interpolation::step, element);  // checks
  if (interpolation == Interpolation::cubic && times.size() > 1)
    return ScalarFunction(NaturalCubicSpline(times, values));
  TimeFunction out(values.front());
  for (size_t k = 0; k < times.size(); ++k) {
    const bool last = k + 1 == times.size();
    if (k == 0 && (last || interpolation == Interpolation::step)) continue;
    PolynomialFunction f{{values[k]}};
    if (interpolation == Interpolation::linear && !last)
      f.coefficients.push_back((values[k + 1] - values[k]) / (times[k + 1] - times[k]));
    out.pieces_.push_back({times[k], ScalarFunction(f)});
    out.starts_.push_back(times[k]);
  }
  return out;
}

std::array<double, 3> TimeFunction::derivatives(double t) const {
  // Most are constants, and a step may evaluate hundreds of them.
  if (starts_.empty())
    if (const auto* f = std::get_if<ScalarFunction>(&pieces_[0].formula))
      if (const auto* constant = std::get_if<ConstantFunction>(f)) return {constant->value, 0, 0};
  constexpr double kHair = 1e-12;
  const auto next = std::partition_point(starts_.begin(), starts_.end(), [t](double start) {
    return t >= start - kHair * std::abs(start);
  });
  const Piece& piece = pieces_[static_cast<size_t>(next - starts_.begin())];
  return std::visit([&](const auto& f) { return sinew::derivatives(f, t - piece.origin); },
                    piece.formula);
}

std::string TimeFunction::defect() const {
  if (pieces_.empty()) return "function has no piece";
  if (pieces_.size() != starts_.size() + 1)
    return "function has different numbers of pieces and start times";
  for (size_t k = 0; k < starts_.size(); ++k) {
    if (!std::isfinite(starts_[k])) return "function has a piece whose start is not finite";
    if (k > 0 && !(starts_[k] > starts_[k - 1])) return "function's pieces are not in order";
  }
  for (const Piece& piece : pieces_)
    if (const std::string d = formula_defect(piece.formula); !d.empty()) return d;
  return {};
}

}  // namespace sinew
