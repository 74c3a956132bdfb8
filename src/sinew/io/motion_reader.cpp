#include "sinew/io/motion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/storage_file.hpp"

namespace sinew {
namespace {

/// The columns of the table that are coordinates, in their order, and which is where.
struct Selection {
  MotionTable table;
  std::vector<int> column;  ///< per coordinate; −1: none
  std::vector<std::string> missing;
};

Selection select(const MotionTable& table, const std::vector<Coordinate>& coordinates) {
  Selection out;
  out.table.name = table.name;
  out.table.times = table.times;
  std::vector<int> from;
  for (const Coordinate& c : coordinates) {
    const int at = coordinate_column(table, c.name);
    out.column.push_back(at < 0 ? -1 : static_cast<int>(from.size()));
    if (at < 0) {
      out.missing.push_back(c.name);
      continue;
    }
    from.push_back(at);
    out.table.labels.push_back(c.name);
  }
  out.table.values.resize(table.values.rows(), static_cast<Eigen::Index>(from.size()));
  for (size_t k = 0; k < from.size(); ++k)
    out.table.values.col(static_cast<Eigen::Index>(k)) = table.values.col(from[k]);
  return out;
}

QuinticSpline smooth(const MotionTable& table, const MotionOptions& options) {
  if (options.opensim_filter)
    return opensim_smoothing(table, options.cutoff > 0 ? options.cutoff : -1);
  if (options.cutoff > 0) return spline_smoothing(table, options.cutoff);
  return QuinticSpline::Interpolate(table.times, table.values, "'" + table.name + "'");
}

}  // namespace

MotionReading read_motion(const std::filesystem::path& path,
                          const std::vector<Coordinate>& coordinates,
                          const MotionOptions& options) {
  StorageFile file = read_storage(path);
  const auto is_angle = [&](const std::string& label) {
    return std::any_of(coordinates.begin(), coordinates.end(), [&](const Coordinate& c) {
      const int at = coordinate_column(file.table, c.name);
      return c.kind == CoordinateKind::angle && at >= 0 &&
             file.table.labels[static_cast<size_t>(at)] == label;
    });
  };
  to_radians(is_angle, file);
  MotionReading out;
  out.warnings = file.warnings;
  const Selection selected = select(file.table, coordinates);
  const std::string element = "'" + path.string() + "'";
  if (selected.table.labels.empty())
    throw Error(element, "has no coordinate of the model",
                "give a file with columns such as '" + coordinates.front().name + "'");
  for (Eigen::Index r = 0; r < selected.table.values.rows(); ++r)
    if (!selected.table.values.row(r).allFinite())
      throw Error(element,
                  fmt::format("has a coordinate that is no number at t = {:.6g} s",
                              selected.table.times[static_cast<size_t>(r)]),
                  "fill the gap or leave the row out");
  if (!selected.missing.empty())
    out.warnings.push_back(fmt::format("{}: has no column for {}: they keep their default values",
                                       path.string(), fmt::join(selected.missing, ", ")));

  const QuinticSpline spline = smooth(selected.table, options);
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  VecX f(spline.columns()), rate(spline.columns()), acceleration(spline.columns());
  // Filters resample and pad: rows are those of the spline within the file's times.
  const double hair = 1e-3 * (selected.table.times[1] - selected.table.times[0]);
  const double from = std::max(options.start, selected.table.times.front()) - hair;
  const double to = std::min(options.end, selected.table.times.back()) + hair;
  for (const double t : spline.times()) {
    if (t < from || t > to) continue;
    spline.evaluate(t, f, rate, acceleration);
    MotionSample sample{t, VecX(n), VecX::Zero(n), VecX::Zero(n)};
    for (Eigen::Index k = 0; k < n; ++k) {
      const int at = selected.column[static_cast<size_t>(k)];
      sample.q[k] = at < 0 ? coordinates[static_cast<size_t>(k)].q0 : f[at];
      if (at < 0) continue;
      sample.qdot[k] = rate[at];
      sample.qddot[k] = acceleration[at];
    }
    out.motion.push_back(std::move(sample));
  }
  if (out.motion.empty())
    throw Error(element,
                fmt::format("has no rows between {:.6g} and {:.6g} s", options.start, options.end),
                fmt::format("its times are {:.6g} to {:.6g} s", selected.table.times.front(),
                            selected.table.times.back()));
  return out;
}

}  // namespace sinew
