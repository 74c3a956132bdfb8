#pragma once

#include "sinew/muscles/wrap/wrap.hpp"

namespace sinew {

/// The length of a piece of a strand between two nodes, and its derivatives by what it depends on:
/// the two nodes and, around a surface, the frame S of that surface, as four points of its body:
/// its origin and the ends of its three unit vectors. World axes.
struct PieceLength {
  static constexpr int kMaxNodes = 6;
  using Nodes = std::array<Vec3, kMaxNodes>;

  SpanStatus status = SpanStatus::free;
  int nodes = 2;  ///< that it depends on: 2 or 6
  double length = 0;
  Eigen::Matrix<double, 3 * kMaxNodes, 1> d;               ///< ∂L/∂x
  Eigen::Matrix<double, 3 * kMaxNodes, 3 * kMaxNodes> dd;  ///< ∂²L/∂x²

  auto gradient(int node) const { return d.segment<3>(3 * node); }
  Mat3 curvature(int a, int b) const { return dd.block<3, 3>(3 * a, 3 * b); }
};

/// The span of a piece in the frame of its surface; pulleys are wound by about `expected` [rad].
inline SpanSolution solve_piece(const Wrap& wrap, const Vec3& o, const Vec3& i, double expected) {
  if (const auto* pulley = std::get_if<PulleyWrap>(&wrap)) return pulley->solve(o, i, expected);
  return solve(wrap, o, i);
}

/// Writes the length of a piece and ∂L/∂x; with `curvature` also ∂²L/∂x². Around `wrap` all six
/// nodes count; null: straight. Nodes that meet give zeros.
void update_piece_length(const Wrap* wrap, double expected, const PieceLength::Nodes& x,
                         bool curvature, PieceLength& out);

}  // namespace sinew
