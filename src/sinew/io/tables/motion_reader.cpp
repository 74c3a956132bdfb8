#include "sinew/io/tables/motion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/tables/motion_checks.hpp"
#include "sinew/io/tables/storage_file.hpp"

namespace sinew {
namespace {

/// More than a body survives; rounding between rows too close in time gives such values [rad/s,
/// m/s], [rad/s², m/s²].
constexpr double kFastest = 1e6, kHardest = 1e9;

CoordinateTable coordinates_of(StorageFile& file, const MotionTarget& target) {
  CoordinateTable out{file.table.name, file.in_degrees, file.table.times, {}};
  std::vector<int> column;
  for (const Coordinate& c : target.coordinates)
    column.push_back(coordinate_column(file.table, c.name));
  const auto is_angle = [&](const std::string& label) {
    for (size_t k = 0; k < column.size(); ++k)
      if (column[k] >= 0 && file.table.labels[static_cast<size_t>(column[k])] == label)
        return target.coordinates[k].kind == CoordinateKind::angle;
    return false;
  };
  to_radians(is_angle, file);
  out.q.setConstant(file.table.values.rows(), static_cast<Eigen::Index>(column.size()),
                    std::nan(""));
  for (size_t k = 0; k < column.size(); ++k)
    if (column[k] >= 0) out.q.col(static_cast<Eigen::Index>(k)) = file.table.values.col(column[k]);
  return out;
}

/// The file's columns of free coordinates, and their places.
struct Selection {
  MotionTable table;
  std::vector<int> column;  ///< per coordinate; −1: none
  std::vector<std::string> missing;
};

Selection select(const StorageFile& file, const CoordinateTable& coordinates,
                 const MotionTarget& target) {
  Selection out;
  out.table.name = file.table.name;
  out.table.times = file.table.times;
  out.table.values.resize(coordinates.q.rows(), coordinates.q.cols());
  for (size_t k = 0; k < target.coordinates.size(); ++k) {
    const std::string& name = target.coordinates[k].name;
    out.column.push_back(-1);
    if (target.coupled.coupling_of(DofIndex(static_cast<int>(k))) != nullptr) continue;
    if (coordinate_column(file.table, name) < 0) {
      out.missing.push_back(name);
      continue;
    }
    const size_t at = out.table.labels.size();
    out.column.back() = static_cast<int>(at);
    out.table.values.col(static_cast<Eigen::Index>(at)) =
        coordinates.q.col(static_cast<Eigen::Index>(k));
    out.table.labels.push_back(name);
  }
  const auto used = static_cast<Eigen::Index>(out.table.labels.size());
  out.table.values.conservativeResize(Eigen::NoChange, used);
  return out;
}

void require_coordinates(const Selection& selected, const MotionTarget& target,
                         const std::string& element) {
  if (selected.table.labels.empty())
    throw Error(element, "has no coordinate of the model",
                "give a file with columns such as '" + target.coordinates.front().name + "'");
  for (Eigen::Index r = 0; r < selected.table.values.rows(); ++r)
    if (!selected.table.values.row(r).allFinite())
      throw Error(element,
                  fmt::format("has a coordinate that is not a number at t = {:.6g} s",
                              selected.table.times[static_cast<size_t>(r)]),
                  "fill the gap or omit the row");
}

void require_rates(const MotionSample& sample, const MotionTarget& target,
                   const std::string& element) {
  for (Eigen::Index k = 0; k < sample.q.size(); ++k) {
    if (std::abs(sample.qdot[k]) < kFastest && std::abs(sample.qddot[k]) < kHardest) continue;
    throw Error(
        element,
        fmt::format("'{}' moves at {:.3g} and accelerates by {:.3g} [rad, m, s] at t = {:.6g} s",
                    target.coordinates[static_cast<size_t>(k)].name, sample.qdot[k],
                    sample.qddot[k], sample.t),
        "check the rows around it: their times may be too close, or a value wrong; or filter");
  }
}

QuinticSpline smooth(const MotionTable& table, const MotionOptions& options) {
  if (options.opensim_filter)
    return opensim_smoothing(table, options.cutoff > 0 ? options.cutoff : -1);
  if (options.cutoff > 0) return spline_smoothing(table, options.cutoff);
  return QuinticSpline::Interpolate(table.times, table.values, "'" + table.name + "'");
}

/// A range of times that the file does not cover.
void note_times(const std::vector<double>& times, const MotionOptions& options,
                const std::string& file, std::vector<std::string>& warnings) {
  const double step = times[1] - times[0];  // less than that is rounding
  const bool late = std::isfinite(options.start) && options.start < times.front() - step;
  const bool early = std::isfinite(options.end) && options.end > times.back() + step;
  if (late || early)
    warnings.push_back(
        fmt::format("{}: {:.6g} to {:.6g} s are requested, but its rows are from {:.6g} to {:.6g} "
                    "s: the existing rows are used",
                    file, options.start, options.end, times.front(), times.back()));
}

MotionSample sample_at(const QuinticSpline& spline, double t, const Selection& selected,
                       const MotionTarget& target) {
  VecX f(spline.columns()), rate = f, acceleration = f;
  spline.evaluate(t, f, rate, acceleration);
  const auto n = static_cast<Eigen::Index>(target.coordinates.size());
  MotionSample out{t, VecX(n), VecX::Zero(n), VecX::Zero(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const int at = selected.column[static_cast<size_t>(k)];
    out.q[k] = at < 0 ? target.coordinates[static_cast<size_t>(k)].q0 : f[at];
    if (at < 0) continue;
    out.qdot[k] = rate[at];
    out.qddot[k] = acceleration[at];
  }
  target.coupled.follow(out.q, out.qdot, out.qddot);
  return out;
}

}  // namespace

MotionReading read_motion(const std::filesystem::path& path, const MotionTarget& target,
                          const MotionOptions& options) {
  StorageFile file = read_storage(path);
  const CoordinateTable coordinates = coordinates_of(file, target);
  const Selection selected = select(file, coordinates, target);
  const std::string element = "'" + path.string() + "'";
  require_coordinates(selected, target, element);
  require_plausible(coordinates, target);
  MotionReading out;
  out.warnings = file.warnings;
  for (std::string& doubt : doubts_of(coordinates, target))
    out.warnings.push_back(std::move(doubt));
  if (!selected.missing.empty())
    out.warnings.push_back(fmt::format("{}: has no column for {}: they keep their default values",
                                       path.string(), fmt::join(selected.missing, ", ")));

  const QuinticSpline spline = smooth(selected.table, options);
  const std::vector<double>& times = selected.table.times;
  note_times(times, options, path.string(), out.warnings);
  out.first_row = times.front();
  out.last_row = times.back();
  out.row_step = (out.last_row - out.first_row) / static_cast<double>(times.size() - 1);
  // Filters resample and pad: rows are those of the spline within the file's times.
  const double hair = 1e-3 * (times[1] - times[0]);
  const double from = std::max(options.start, times.front()) - hair;
  const double to = std::min(options.end, times.back()) + hair;
  for (const double t : spline.times()) {
    if (t < from || t > to) continue;
    out.motion.push_back(sample_at(spline, t, selected, target));
    require_rates(out.motion.back(), target, element);
  }
  if (out.motion.empty())
    throw Error(element,
                fmt::format("has no rows between {:.6g} and {:.6g} s", options.start, options.end),
                fmt::format("its times are {:.6g} to {:.6g} s", times.front(), times.back()));
  return out;
}

}  // namespace sinew
