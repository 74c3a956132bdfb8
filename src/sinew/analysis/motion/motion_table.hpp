#pragma once

#include <string>
#include <vector>

#include "sinew/math/quintic_spline.hpp"

namespace sinew {

/// Columns of numbers over time: coordinates, ground reactions, excitations.
struct MotionTable {
  std::string name;                 ///< name of the file, for messages
  std::vector<std::string> labels;  ///< may repeat, as in files with two force plates
  std::vector<double> times;        ///< [s], increasing
  MatX values;                      ///< a row for each time, a column for each label

  /// −1 if there is none. Throws an Error naming the table if there are several.
  int find(const std::string& label) const;
  /// Throws an Error naming the table.
  int column(const std::string& label) const;
};

/// The column of a coordinate: under its own name, or as a state of OpenSim 4
/// (/jointset/<joint>/<coordinate>/value); −1 if missing.
int coordinate_column(const MotionTable& table, const std::string& coordinate);
/// Its rate: <coordinate>_u or …/<coordinate>/speed.
int speed_column(const MotionTable& table, const std::string& coordinate);
/// A state of a muscle ("activation", "fiber_length"): <muscle>.<state> or …/<muscle>/<state>.
int muscle_column(const MotionTable& table, const std::string& muscle, const std::string& state);

/// Values at t on straight lines between rows; beyond them, the first or last row.
void interpolate_linearly(const MotionTable& table, double t, VecRef out);

/// The filter of OpenSim's tools for coordinates: both ends padded with half the rows,
/// point-reflected; if the steps differ, resampled by a quintic spline at the least of them; a
/// Butterworth filter of third order forwards and backwards (so 1/2, not 1/√2, of the amplitude is
/// left at `cutoff`); its rows interpolated by a quintic spline. A negative cutoff omits the
/// filter.
QuinticSpline opensim_smoothing(const MotionTable& table, double cutoff);

/// The better choice unless results must agree with OpenSim: QuinticSpline::Smooth. One step
/// instead of four; no padding, no resampling, 1/√2 left at `cutoff`, and rows may be spaced
/// unevenly.
QuinticSpline spline_smoothing(const MotionTable& table, double cutoff);

}  // namespace sinew
