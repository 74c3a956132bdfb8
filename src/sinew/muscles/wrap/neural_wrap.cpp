#include "sinew/muscles/wrap/neural_wrap.hpp"

#include <fmt/format.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Networks turn counter-clockwise: clockwise paths are their mirror images in the xz plane.
template <class T>
Point<T> on_side(Point<T> x, WrapSide side) {
  if (side == WrapSide::clockwise) x[1] = -x[1];
  return x;
}

/// Total turning of the polyline, in plain numbers: acos has no derivative where it is straight.
template <class T>
double turning(const SpanShape<T>& shape) {
  const auto edge = [&](int k) {
    const auto n = static_cast<size_t>(k);
    Vec3 d;
    for (int c = 0; c < 3; ++c) d[c] = value_of(shape.node[n + 1][c]) - value_of(shape.node[n][c]);
    return d;
  };
  double sum = 0;
  for (int k = 1; k < shape.pieces; ++k) {
    const Vec3 a = edge(k - 1), b = edge(k);
    sum += std::atan2(a.cross(b).norm(), a.dot(b));
  }
  return sum;
}

}  // namespace

SpanSolution NeuralWrap::solve(const Vec3& o, const Vec3& i) const {
  network->require_in_range({on_side<double>(o, side), on_side<double>(i, side), radius});
  SpanSolution solution;
  solution.status = SpanStatus::wrapped;
  return solution;
}

template <class T>
void NeuralWrap::shape(const SpanSolution&, const Point<T>& o, const Point<T>& i,
                       SpanShape<T>& out) const {
  const WrapNetwork::Path<T> path{on_side<T>(o, side), on_side<T>(i, side), radius};
  std::array<double, SpanShape<T>::kMaxPieces> alphas;
  const auto inner = static_cast<size_t>(pieces - 1);
  for (size_t k = 0; k < inner; ++k) alphas[k] = static_cast<double>(k + 1) / pieces;
  // Written in place; the ends are the anchors themselves, which raw networks miss.
  network->points<T>({&path, 1}, {alphas.data(), inner}, {out.node.data() + 1, inner});
  out.start(o);
  for (size_t k = 1; k <= inner; ++k) out.add_straight(on_side<T>(out.node[k], side));
  out.add_straight(i);
  out.smooth = false;
  out.wrapped_angle = T(turning(out));
}

#define SINEW_SHAPE(T)                                                                      \
  template void NeuralWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                     SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const NeuralWrap& wrap, const std::string& element) {
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  require(wrap.network != nullptr, "it has no network",
          "name one of models/neural, or choose the exact or smooth model");
  require(std::isfinite(wrap.radius) && wrap.radius > 0, "its radius is not positive",
          "give the surface's radius in metres");
  require(wrap.side != WrapSide::nearest, "a network cannot change sides",
          "choose the side, clockwise or counter_clockwise about z");
  require(wrap.pieces >= 2 && wrap.pieces <= SpanShape<double>::kMaxPieces,
          "its number of pieces is not in 2 to 48", "16 keeps the length to a tenth of a percent");
  require(wrap.network->pieces() % wrap.pieces == 0,
          "its number of pieces does not divide that of its network's polyline",
          "give it as many pieces as the network");
}

}  // namespace sinew
