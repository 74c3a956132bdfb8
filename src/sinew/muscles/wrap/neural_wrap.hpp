#pragma once

#include <memory>
#include <string>

#include "sinew/muscles/wrap/cylinder_wrap.hpp"
#include "sinew/muscles/wrap/wrap_network.hpp"

namespace sinew {

/// A span around a cylinder or a capped cylinder whose points a network gives (the method of Wang
/// 2022): straight pieces through x_α at equal fractions α, from o to i. It is smooth in o and i
/// everywhere, touch-down included, and never exactly straight: its status is always `wrapped`.
/// Outside the network's declared range `solve` throws the network's Error.
struct NeuralWrap {
  static constexpr int kMaxPieces = SpanShape<double>::kMaxPieces;
  double radius = 0;
  WrapSide side = WrapSide::counter_clockwise;  ///< not `nearest`
  std::shared_ptr<const WrapNetwork> network;
  int pieces = 16;

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
};

/// Throws an Error naming the wrap `element` if parameters make no sense.
void validate(const NeuralWrap& wrap, const std::string& element);

}  // namespace sinew
