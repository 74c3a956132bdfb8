#include "sinew/math/time_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/error.hpp"

namespace sinew {

TimeTable TimeTable::Constant(const VecX& value) {
  TimeTable table;
  table.values_.push_back(value);
  return table;
}

TimeTable TimeTable::FromRows(std::vector<double> times, std::vector<VecX> values,
                              Interpolation interpolation, const std::string& element) {
  if (times.empty()) throw Error(element, "the table in time is empty", "give at least one row");
  if (times.size() != values.size())
    throw Error(element,
                "the table in time has " + std::to_string(times.size()) + " times but " +
                    std::to_string(values.size()) + " values",
                "give one value for each time");
  for (size_t k = 0; k < times.size(); ++k) {
    const std::string row = "row " + std::to_string(k + 1) + " of the table in time";
    if (!std::isfinite(times[k]) || !values[k].allFinite())
      throw Error(element, row + " is not finite", "give finite numbers");
    if (values[k].size() == 0 || values[k].size() != values.front().size())
      throw Error(element,
                  row + " has " + std::to_string(values[k].size()) +
                      " values where the first has " + std::to_string(values.front().size()),
                  "give every row the same number of values, at least one");
    if (k > 0 && times[k] <= times[k - 1])
      throw Error(element, row + " is not later than the previous one", "let the times increase");
  }
  TimeTable table;
  table.times_ = std::move(times);
  table.values_ = std::move(values);
  table.interpolation_ = interpolation;
  return table;
}

size_t TimeTable::interval(double t) const {
  // The last row reached; the rounding of t = k h is far below this margin.
  constexpr double kHair = 1e-12;
  const auto reached = [](double time, double row) { return time < row - kHair * std::abs(row); };
  const auto next = std::upper_bound(times_.begin(), times_.end(), t, reached);
  return next == times_.begin() ? 0 : static_cast<size_t>(next - times_.begin()) - 1;
}

void TimeTable::evaluate(double t, VecRef out) const {
  if (times_.empty()) {
    out = values_.front();
    return;
  }
  const size_t k = interval(t);
  if (interpolation_ == Interpolation::step || k + 1 == times_.size()) {
    out = values_[k];
    return;
  }
  const double s = std::clamp((t - times_[k]) / (times_[k + 1] - times_[k]), 0.0, 1.0);
  out = (1 - s) * values_[k] + s * values_[k + 1];
}

double TimeTable::evaluate_scalar(double t) const {
  double value = 0;
  evaluate(t, Eigen::Map<VecX>(&value, 1));
  return value;
}

}  // namespace sinew
