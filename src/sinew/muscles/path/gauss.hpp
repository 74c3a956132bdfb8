#pragma once

#include <array>
#include <numbers>
#include <span>

#include "sinew/muscles/path/mass_distribution.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {

/// A node of a quadrature rule on [0, 1] and its weight.
struct GaussNode {
  double x, w;
};

namespace detail {

/// Gauss's rule of n nodes: roots of the Legendre polynomial P_n, by Newton's method from
/// cos(π (k + 3/4)/(n + 1/2)).
template <size_t n>
constexpr std::array<GaussNode, n> make_gauss() {
  std::array<GaussNode, n> rule{};
  constexpr double degree = n;
  for (size_t k = 0; k < n; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) + 0.75) / (degree + 0.5);
    double x = 1, term = 1;
    for (int j = 1; j <= 20; ++j) {
      term *= -angle * angle / ((2.0 * j - 1) * (2.0 * j));
      x += term;
    }
    double slope = 1;
    for (int step = 0; step < 10; ++step) {
      double before = 1, value = x;
      for (size_t d = 2; d <= n; ++d) {
        const auto j = static_cast<double>(d);
        const double next = ((2 * j - 1) * x * value - (j - 1) * before) / j;
        before = value;
        value = next;
      }
      slope = degree * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule[n - 1 - k] = {0.5 * (1 + x), 1 / ((1 - x * x) * slope * slope)};
  }
  return rule;
}

}  // namespace detail

/// This is exact for polynomials of degree 2n − 1.
template <size_t n>
inline constexpr std::array<GaussNode, n> kGauss = detail::make_gauss<n>();
/// The largest number of nodes of a piece.
inline constexpr int kMaxGaussNodes = 13;

/// Nodes for the mass of a piece that winds by `angle` around a surface [rad]. Velocity is linear
/// on straight ones and density at most quadratic: exact. On a helix the integrands are sines and
/// cosines of twice the angle times polynomials of degree four; the rules are accurate to 1e-13 of
/// these up to the angles below.
inline std::span<const GaussNode> gauss_nodes(PieceKind kind, double angle,
                                              const MassRegion& region) {
  if (kind == PieceKind::sampled) return kGauss<7>;
  if (kind == PieceKind::helix) {
    if (angle < 0.34) return kGauss<6>;
    if (angle < 1.34) return kGauss<8>;
    if (angle < 2.9) return kGauss<10>;
    return kGauss<kMaxGaussNodes>;  // to 6.0
  }
  if (region.c1 == 0 && region.c2 == 0) return kGauss<2>;
  return kGauss<3>;
}

/// Shares of a belly below this carry negligible mass and have no defined direction.
inline constexpr double kSmallestShare = 1e-12;

}  // namespace sinew
