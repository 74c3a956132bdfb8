#include "sinew/analysis/motion/motion_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int find_ending(const MotionTable& table, const std::string& end) {
  for (size_t i = 0; i < table.labels.size(); ++i)
    if (ends_with(table.labels[i], end)) return table.find(table.labels[i]);
  return -1;
}

/// Rows, padded to twice their number before and after, mirrored at the first and last point.
struct Padded {
  std::vector<double> times;
  MatX values;
};
Padded pad(const MotionTable& table) {
  const auto n = static_cast<Eigen::Index>(table.times.size()), add = n / 2;
  Padded out;
  out.times.resize(static_cast<size_t>(n + 2 * add));
  out.values.resize(n + 2 * add, table.values.cols());
  const auto time = [&](Eigen::Index i) { return table.times[static_cast<size_t>(i)]; };
  for (Eigen::Index i = 0; i < n + 2 * add; ++i) {
    double& t = out.times[static_cast<size_t>(i)];
    if (i < add) {
      t = 2 * time(0) - time(add - i);
      out.values.row(i) = 2 * table.values.row(0) - table.values.row(add - i);
    } else if (i < add + n) {
      t = time(i - add);
      out.values.row(i) = table.values.row(i - add);
    } else {
      const Eigen::Index mirrored = 2 * n + add - 2 - i;
      t = 2 * time(n - 1) - time(mirrored);
      out.values.row(i) = 2 * table.values.row(n - 1) - table.values.row(mirrored);
    }
  }
  return out;
}

/// Evenly spaced rows from the first to the last time; the grid is summed up as OpenSim does it.
void resample(double dt, const std::string& element, Padded& rows) {
  const QuinticSpline spline = QuinticSpline::Interpolate(rows.times, rows.values, element);
  const double first = rows.times.front(), last = rows.times.back();
  rows.times.clear();
  for (double t = first; t <= last; t += dt) rows.times.push_back(t);
  rows.values.resize(static_cast<Eigen::Index>(rows.times.size()), spline.columns());
  VecX f(spline.columns()), rate = f, acceleration = f;
  for (size_t i = 0; i < rows.times.size(); ++i) {
    spline.evaluate(rows.times[i], f, rate, acceleration);
    rows.values.row(static_cast<Eigen::Index>(i)) = f.transpose();
  }
}

/// y_i = Σ a_k x_(i−k) − Σ b_k y_(i−k) of the Butterworth filter of third order, w = tan(π f_c dt);
/// the first three rows pass unchanged.
void filter_forwards(double w, MatX& x) {
  const double denominator = (w + 1) * (w * w + w + 1), w2 = w * w, w3 = w2 * w;
  const double a = w3 / denominator;
  const double b1 = (3 * w3 + 2 * w2 - 2 * w - 3) / denominator;
  const double b2 = (3 * w3 - 2 * w2 - 2 * w + 3) / denominator;
  const double b3 = (w - 1) * (w2 - w + 1) / denominator;
  const MatX in = x;
  for (Eigen::Index i = 3; i < x.rows(); ++i)
    x.row(i) = a * in.row(i) + 3 * a * in.row(i - 1) + 3 * a * in.row(i - 2) + a * in.row(i - 3) -
               b1 * x.row(i - 1) - b2 * x.row(i - 2) - b3 * x.row(i - 3);
}

}  // namespace

int MotionTable::find(const std::string& label) const {
  const auto at = std::find(labels.begin(), labels.end(), label);
  if (at == labels.end()) return -1;
  if (std::find(at + 1, labels.end(), label) != labels.end())
    throw Error("'" + name + "'", "has two columns '" + label + "'",
                "give every column that is used a unique name");
  return static_cast<int>(at - labels.begin());
}

int MotionTable::column(const std::string& label) const {
  const int i = find(label);
  if (i < 0)
    throw Error("'" + name + "'", "has no column '" + label + "'",
                "add it, or give the name of the intended column");
  return i;
}

int coordinate_column(const MotionTable& table, const std::string& coordinate) {
  const int own = table.find(coordinate);
  return own >= 0 ? own : find_ending(table, "/" + coordinate + "/value");
}

int speed_column(const MotionTable& table, const std::string& coordinate) {
  const int own = table.find(coordinate + "_u");
  return own >= 0 ? own : find_ending(table, "/" + coordinate + "/speed");
}

int muscle_column(const MotionTable& table, const std::string& muscle, const std::string& state) {
  const int own = table.find(muscle + "." + state);
  return own >= 0 ? own : find_ending(table, "/" + muscle + "/" + state);
}

void interpolate_linearly(const MotionTable& table, double t, VecRef out) {
  const auto& times = table.times;
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.begin()) {
    out = table.values.row(0).transpose();
    return;
  }
  const auto i = static_cast<Eigen::Index>(after - times.begin());
  if (after == times.end()) {
    out = table.values.row(i - 1).transpose();
    return;
  }
  const double share = (t - *(after - 1)) / (*after - *(after - 1));
  out = ((1 - share) * table.values.row(i - 1) + share * table.values.row(i)).transpose();
}

QuinticSpline opensim_smoothing(const MotionTable& table, double cutoff) {
  const std::string element = "'" + table.name + "'";
  if (cutoff < 0) return QuinticSpline::Interpolate(table.times, table.values, element);
  if (table.times.size() < 4)
    throw Error(element, "has too few rows to filter",
                "give four or more, or no cut-off frequency");
  Padded rows = pad(table);
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i < rows.times.size(); ++i)
    least = std::min(least, rows.times[i] - rows.times[i - 1]);
  const double span = rows.times.back() - rows.times.front();
  if (!(least > 0) || span / least > 1e5)
    throw Error(element, "its times are too uneven to filter", "resample it at even steps");
  const double mean = span / static_cast<double>(rows.times.size() - 1);
  if (mean - least > std::numeric_limits<double>::epsilon()) resample(least, element, rows);
  const double highest = 0.5 / least;
  const double frequency = cutoff < highest ? cutoff : 0.98 * highest;
  const double w = std::tan(std::numbers::pi * frequency * least);
  filter_forwards(w, rows.values);
  rows.values = rows.values.colwise().reverse().eval();
  filter_forwards(w, rows.values);
  rows.values = rows.values.colwise().reverse().eval();
  return QuinticSpline::Interpolate(rows.times, rows.values, element);
}

QuinticSpline spline_smoothing(const MotionTable& table, double cutoff) {
  const std::string element = "'" + table.name + "'";
  if (cutoff < 0) return QuinticSpline::Interpolate(table.times, table.values, element);
  return QuinticSpline::Smooth(table.times, table.values, cutoff, element);
}

}  // namespace sinew
