#include "sinew/analysis/muscle_drive.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

int control_column(const MotionTable& table, const std::string& muscle) {
  const int own = table.find(muscle);
  if (own >= 0) return own;
  for (size_t i = 0; i < table.labels.size(); ++i)
    if (table.labels[i].ends_with("/" + muscle)) return static_cast<int>(i);
  return -1;
}

/// Columns of the muscles; −1 if there is none, with a warning.
template <class Find>
std::vector<int> columns_of(const std::vector<DrivenMuscle>& muscles, const MotionTable& table,
                            const std::string& example, Find find, MuscleDrive& out) {
  std::vector<int> columns;
  std::vector<std::string> missing;
  for (const DrivenMuscle& muscle : muscles) {
    columns.push_back(find(muscle.name));
    if (columns.back() < 0) missing.push_back(muscle.name);
  }
  if (missing.size() == muscles.size())
    throw Error("'" + table.name + "'", "has no muscle of the model",
                "give a file with columns such as '" + example + "'");
  if (!missing.empty())
    out.warnings.push_back(
        fmt::format("{}: has no column for {}: they keep their initial activations", table.name,
                    fmt::join(missing, ", ")));
  return columns;
}

void warn_of_times(const std::vector<double>& times, const MotionTable& table, MuscleDrive& out) {
  if (times.empty()) return;
  const double slack = 1e-6;  // files have six digits after the point
  if (times.front() < table.times.front() - slack || times.back() > table.times.back() + slack)
    out.warnings.push_back(fmt::format(
        "{}: goes from {:.6g} to {:.6g} s, the motion from {:.6g} to {:.6g} s: its first and last "
        "rows hold beyond it",
        table.name, table.times.front(), table.times.back(), times.front(), times.back()));
}

void require_share(double value, const MotionTable& table, const std::string& muscle, double t) {
  // Integrators leave activations slightly outside.
  if (!(value >= -1e-6 && value <= 1 + 1e-6))
    throw Error("'" + table.name + "'",
                fmt::format("has activation {:.6g} of '{}' at t = {:.6g} s", value, muscle, t),
                "activations are from 0 to 1");
}

}  // namespace

MuscleDrive constant_drive(const std::vector<DrivenMuscle>& muscles, size_t instants,
                           std::optional<double> activation) {
  MuscleDrive out;
  out.activation.resize(index(muscles.size()), index(instants));
  out.fibre_length.setConstant(index(muscles.size()), index(instants),
                               std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < muscles.size(); ++i)
    out.activation.row(index(i)).setConstant(
        activation.value_or(muscles[i].hill.initial_activation));
  return out;
}

MuscleDrive drive_from_states(const std::vector<DrivenMuscle>& muscles,
                              const std::vector<double>& times, const MotionTable& states) {
  MuscleDrive out = constant_drive(muscles, times.size(), std::nullopt);
  if (muscles.empty()) return out;
  const auto column = [&](const std::string& muscle) {
    return muscle_column(states, muscle, "activation");
  };
  const std::vector<int> columns =
      columns_of(muscles, states, muscles[0].name + "/activation", column, out);
  warn_of_times(times, states, out);
  VecX row(states.values.cols());
  for (size_t k = 0; k < times.size(); ++k) {
    interpolate_linearly(states, times[k], row);
    for (size_t i = 0; i < muscles.size(); ++i) {
      if (columns[i] < 0) continue;
      require_share(row[columns[i]], states, muscles[i].name, times[k]);
      out.activation(index(i), index(k)) = row[columns[i]];
      const int fibre = muscle_column(states, muscles[i].name, "fiber_length");
      if (fibre < 0) continue;
      check_fibre_length(
          muscles[i].hill.muscle, row[fibre],
          fmt::format("'{}': muscle '{}' at t = {:.6g} s", states.name, muscles[i].name, times[k]));
      out.fibre_length(index(i), index(k)) = row[fibre];
    }
  }
  return out;
}

MuscleDrive drive_from_controls(const std::vector<DrivenMuscle>& muscles,
                                const std::vector<double>& times, const MotionTable& controls) {
  MuscleDrive out = constant_drive(muscles, times.size(), std::nullopt);
  if (muscles.empty()) return out;
  const auto column = [&](const std::string& muscle) { return control_column(controls, muscle); };
  const std::vector<int> columns = columns_of(muscles, controls, muscles[0].name, column, out);
  warn_of_times(times, controls, out);
  VecX before(controls.values.cols()), row = before;
  for (size_t k = 0; k < times.size(); ++k) {
    interpolate_linearly(controls, times[k], row);
    for (size_t i = 0; i < muscles.size(); ++i) {
      if (columns[i] < 0) continue;
      const ActivationDynamics& dynamics = muscles[i].hill.activation;
      const double u = row[columns[i]];
      if (!std::isfinite(u))
        throw Error("'" + controls.name + "'",
                    fmt::format("has a control of '{}' that is not a number at t = {:.6g} s",
                                muscles[i].name, times[k]),
                    "fill the gap or omit the row");
      double& a = out.activation(index(i), index(k));
      if (k == 0 || muscles[i].hill.immediate)
        a = std::clamp(u, dynamics.minimum, 1.0);
      else  // the mean of both ends: second order in the step
        a = step_activation(dynamics, out.activation(index(i), index(k - 1)),
                            0.5 * (before[columns[i]] + u), times[k] - times[k - 1]);
    }
    before = row;
  }
  return out;
}

}  // namespace sinew
