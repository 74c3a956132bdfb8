#pragma once

#include <Eigen/LU>
#include <array>
#include <cmath>
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
    return kGauss<kMaxGaussNodes>;  // to kLargestGaussArc
  }
  if (region.c1 == 0 && region.c2 == 0) return kGauss<2>;
  return kGauss<3>;
}

/// Arcs up to this angle have one rule [rad].
inline constexpr double kLargestGaussArc = 6.0;

/// A part of an arc, from and to an angle in turns, and the number of such parts that it stands
/// for.
struct TurnPart {
  double from, to, weight;
};
inline constexpr int kMaxTurnParts = 12;
struct TurnParts {
  int count = 0;
  std::array<TurnPart, kMaxTurnParts> part;
  void add(double from, double to, double weight) {
    part[static_cast<size_t>(count++)] = {from, to, weight};
  }
  const TurnPart* begin() const { return part.data(); }
  const TurnPart* end() const { return part.data() + count; }
};

/// Divides an arc of many turns into half turns. From turn to turn the integrands change as
/// polynomials of degree four, so five turns stand for all, with the weights that sum polynomials
/// of that degree over 0, …, n − 1 exactly: any number of turns takes the same time.
inline TurnParts turn_parts(double turns) {
  TurnParts out;
  const auto add = [&](double from, double to, double weight) {
    const double middle = 0.5 * (from + to);
    out.add(from, middle, weight);
    out.add(middle, to, weight);
  };
  const double whole = std::floor(turns), last = whole - 1;
  if (whole <= 5) {
    for (double k = 0; k < whole; ++k) add(k, k + 1, 1);
  } else {
    // Moments of x = (2j − n + 1)/(n − 1) over j; odd ones are zero.
    const double n = whole, n2 = n * n, scale = 1 / (last * last);
    Eigen::Matrix<double, 5, 1> moment;
    moment << n, 0, n * (n2 - 1) / 3 * scale, 0, n * (n2 - 1) * (3 * n2 - 7) / 15 * scale * scale;
    Eigen::Matrix<double, 5, 5> powers;
    std::array<double, 5> turn;
    for (int k = 0; k < 5; ++k) {
      turn[static_cast<size_t>(k)] = std::round(0.25 * k * last);
      const double x = 2 * turn[static_cast<size_t>(k)] / last - 1;
      for (int p = 0; p < 5; ++p) powers(p, k) = p == 0 ? 1 : powers(p - 1, k) * x;
    }
    const Eigen::Matrix<double, 5, 1> weight = powers.partialPivLu().solve(moment);
    for (int k = 0; k < 5; ++k)
      add(turn[static_cast<size_t>(k)], turn[static_cast<size_t>(k)] + 1, weight[k]);
  }
  if (turns > whole) add(whole, turns, 1);
  return out;
}

/// Shares of a belly below this carry negligible mass and have no defined direction.
inline constexpr double kSmallestShare = 1e-12;

}  // namespace sinew
