#pragma once

#include <algorithm>
#include <cmath>

#include "sinew/muscles/wrap/level_set.hpp"

/// A rubber band of K equal pieces from o to i, pushed off a surface F = 0 by a barrier that decays
/// within a distance e (docs/theory/wrapping_general.md, elastic band). Its knots x_k minimise
///     ½ Σ |x_{k+1} − x_k|² + Σ q e b(−F(x_k)/e),     q = c (|i − o|² + R²) / K²,
/// b = exp, continued as a parabola from y = 5 on. Any surface, any number of contacts.

namespace sinew::band {

inline constexpr int kPieces = 40;
using Knots = std::array<Vec3, kPieces + 1>;

/// The barrier of a surface with typical radius R: e = softness · R, c = 1/2R, which centres the
/// band on the surface where its curvature is 1/R.
struct Barrier {
  double size, range;  ///< R, e [m]

  template <class T>
  T load(const T& chord2) const {
    return (chord2 + size * size) * (0.5 / size / (kPieces * kPieces));
  }
  static constexpr double kParabola = 5;
  static constexpr double kNothing = -37;  ///< exp of it is below rounding of one
};

/// b, b′ and b″ at y.
struct BarrierValue {
  double value, slope, curvature;
};
inline BarrierValue barrier_jet(double y) {
  if (y < Barrier::kNothing) return {0, 0, 0};
  const double b = std::exp(std::min(y, Barrier::kParabola));
  const double beyond = std::max(0.0, y - Barrier::kParabola);
  return {b * (1 + beyond * (1 + 0.5 * beyond)), b * (1 + beyond), b};
}

inline Knots straight_knots(const Vec3& o, const Vec3& i) {
  Knots x;
  for (size_t k = 0; k <= kPieces; ++k) x[k] = o + (static_cast<double>(k) / kPieces) * (i - o);
  return x;
}
/// Knots at equal distances from o to i through two more points.
inline Knots bent_knots(const Vec3& o, const Vec3& via, const Vec3& then, const Vec3& i) {
  const std::array<Vec3, 4> corner{o, via, then, i};
  std::array<double, 4> reached{};
  for (size_t c = 1; c < 4; ++c) reached[c] = reached[c - 1] + (corner[c] - corner[c - 1]).norm();
  Knots x;
  for (size_t k = 0; k <= kPieces; ++k) {
    const double s = reached[3] * static_cast<double>(k) / kPieces;
    size_t leg = 0;
    while (leg < 2 && s >= reached[leg + 1]) ++leg;
    const double part = (s - reached[leg]) / (std::max(1e-300, reached[leg + 1] - reached[leg]));
    x[k] = corner[leg] + part * (corner[leg + 1] - corner[leg]);
  }
  x.back() = i;
  return x;
}

/// Newton's method for the band, whose matrix has 3×3 blocks A_k on the diagonal and −1 beside it:
/// C_k = A_k − C_{k−1}⁻¹.
class Elimination {
 public:
  /// False if a block is not positive definite.
  bool factor(const std::array<Mat3, kPieces + 1>& a) {
    for (size_t k = 1; k < kPieces; ++k) {
      const Mat3 c = k > 1 ? Mat3(a[k] - inverse_[k - 1]) : a[k];
      const double minor = c(0, 0) * c(1, 1) - c(0, 1) * c(1, 0);
      const double determinant = c.determinant();
      if (!(c(0, 0) > 0 && minor > 0 && determinant > 0)) return false;
      inverse_[k] = c.inverse();
    }
    return true;
  }
  /// Overwrites right-hand sides 1 … K−1 by the solution.
  template <class T>
  void solve(std::array<Point<T>, kPieces + 1>& r) const {
    for (size_t k = 2; k < kPieces; ++k) r[k] += product(inverse_[k - 1], r[k - 1]);
    r[kPieces - 1] = product(inverse_[kPieces - 1], r[kPieces - 1]);
    for (size_t k = kPieces - 1; k-- > 1;) {
      const Point<T> sum = r[k] + r[k + 1];
      r[k] = product(inverse_[k], sum);
    }
  }

 private:
  template <class T>
  static Point<T> product(const Mat3& m, const Point<T>& x) {
    return {m(0, 0) * x[0] + m(0, 1) * x[1] + m(0, 2) * x[2],
            m(1, 0) * x[0] + m(1, 1) * x[1] + m(1, 2) * x[2],
            m(2, 0) * x[0] + m(2, 1) * x[1] + m(2, 2) * x[2]};
  }
  std::array<Mat3, kPieces + 1> inverse_;
};

/// `jet(x)` gives F, G, H. Moves the knots to the minimum; false if that fails.
template <class JointFunctionValue>
class Relaxation {
 public:
  Relaxation(const JointFunctionValue& jet, const Barrier& barrier, const Vec3& o, const Vec3& i)
      : jet_(jet), barrier_(barrier), load_(barrier.load((i - o).squaredNorm())) {}

  bool run(double tolerance, int most, Knots& x) {
    double energy = update(x);
    for (int iteration = 0; iteration < most; ++iteration) {
      std::array<Vec3, kPieces + 1> step;
      for (size_t k = 1; k < kPieces; ++k)
        step[k] = load_ * b_[k].slope * f_[k].gradient - (2 * x[k] - x[k - 1] - x[k + 1]);
      if (!factor(true) && !factor(false)) return false;
      elimination_.solve(step);
      double longest = 0;
      for (size_t k = 1; k < kPieces; ++k) longest = std::max(longest, step[k].norm());
      if (!(longest < 1e6 * barrier_.size)) return false;
      double part = std::min(1.0, 0.5 * barrier_.size / longest);
      for (int halving = 0;; ++halving) {
        Knots trial = x;
        for (size_t k = 1; k < kPieces; ++k) trial[k] += part * step[k];
        const double now = update(trial);
        if (now <= energy * (1 + 1e-13) || longest < 1e-6 * barrier_.size) {
          x = trial;
          energy = now;
          break;
        }
        if (halving == 12) return false;
        part *= 0.5;
      }
      if (longest <= tolerance * barrier_.size) return true;
    }
    return false;
  }

  /// The factors of the exact matrix at the knots of the last run.
  bool factor(bool exact) {
    std::array<Mat3, kPieces + 1> a;
    for (size_t k = 1; k < kPieces; ++k) {
      a[k] = 2 * Mat3::Identity();
      if (b_[k].curvature == 0) continue;
      const Vec3& g = f_[k].gradient;
      a[k] += (load_ * b_[k].curvature / barrier_.range) * g * g.transpose();
      if (exact) a[k] -= (load_ * b_[k].slope) * f_[k].hessian;
    }
    return elimination_.factor(a);
  }
  /// F, G, H and the barrier at all knots; returns the energy.
  double update(const Knots& x) {
    double energy = 0;
    for (size_t k = 0; k < kPieces; ++k) {
      energy += 0.5 * (x[k + 1] - x[k]).squaredNorm();
      if (k == 0) continue;
      f_[k] = jet_(x[k]);
      b_[k] = barrier_jet(-f_[k].value / barrier_.range);
      energy += load_ * barrier_.range * b_[k].value;
    }
    return energy;
  }
  const Elimination& elimination() const { return elimination_; }
  double level(size_t k) const { return f_[k].value; }
  double push(size_t k) const { return load_ * b_[k].slope; }

 private:
  const JointFunctionValue& jet_;
  Barrier barrier_;
  double load_;
  std::array<LevelValue, kPieces + 1> f_;
  std::array<BarrierValue, kPieces + 1> b_;
  Elimination elimination_;
};

/// Solves for the band at the given barrier, starting from the knots, by way of longer ranges,
/// which find the way around.
template <class JointFunctionValue>
bool settle(const JointFunctionValue& jet, const Barrier& barrier, double tolerance, Knots& x) {
  for (double range = 0.2 * barrier.size; range > 1.5 * barrier.range; range *= 0.4) {
    Relaxation<JointFunctionValue> coarse(jet, {barrier.size, range}, x.front(), x.back());
    if (!coarse.run(1e-3, 40, x)) return false;
  }
  Relaxation<JointFunctionValue> fine(jet, barrier, x.front(), x.back());
  return fine.run(tolerance, 60, x);
}

}  // namespace sinew::band
