#pragma once

/// Segments of straight paths, several at a time: one per lane of vector registers. Uses plain
/// arrays and no inline functions from other files, because one file is compiled for each
/// instruction set.

namespace sinew::lanes {

inline constexpr int kStraightLanes = 8;
inline constexpr int kMostColumns = 6;

/// Rows of nodes, all in one frame: place, rate and second derivative in time; the speed of
/// material at the node relative to it, and its rate; then, for each coordinate k, ∂place/∂q (three
/// rows) and, after those of all coordinates, ∂(relative speed)/∂q.
struct NodeRow {
  static constexpr int x = 0, v = 3, a = 6, slide = 9, slide_rate = 10, columns = 11;
  static constexpr int count(int coordinates) { return columns + 4 * coordinates; }
};
/// Rows of segments, each from a node to the next: unit vector and its rate; length, its rate and
/// its second derivative; moments of mass (equation (10) of docs/theory/muscles.md); ∂length/∂q.
struct SegmentRow {
  static constexpr int t = 0, t_rate = 3, length = 6, rate = 7, second = 8, mass = 9, columns = 12;
  static constexpr int count(int coordinates) { return columns + coordinates; }
};
/// Sums over all segments: the sums of SpanMass, in this order.
struct SumRow {
  static constexpr int mass = 0, h = 1, E = 4, torque = 10, force = 13, columns = 16;
  /// For each coordinate: momentum (angular, linear) and force; then the lower triangle of M.
  static constexpr int count(int k) { return columns + 7 * k + k * (k + 1) / 2; }
};

/// Paths one after the other: segment s runs from node s to node s + 1, so that the one after a
/// path's last node is not real; it has no mass. Rows are `stride` apart; nodes and segments are
/// finite numbers up to the next multiple of kStraightLanes and one further, without mass there.
struct Polygons {
  int segments, stride;
  double *node, *segment;
  double frame[9];  ///< angular velocity and acceleration, acceleration less gravity
};

/// Functions for one number of coordinates.
struct StraightKernel {
  /// Fills the segments' rows, except their mass.
  void (*measure)(const Polygons& of);
  /// Needs measure, and the rest of the rows.
  void (*sum)(const Polygons& of, double* sums);
};
/// Indexed by the number of coordinates less one.
using StraightKernels = const StraightKernel*;

/// For the vector_unit(); all give the same bits.
StraightKernels chosen_straight_kernels();

StraightKernels sse2_straight_kernels();
/// Null if the compiler or the machine does not have the instructions.
StraightKernels avx2_straight_kernels();
StraightKernels avx512_straight_kernels();

}  // namespace sinew::lanes
