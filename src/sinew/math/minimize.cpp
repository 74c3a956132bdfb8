#include "sinew/math/minimize.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace sinew {
namespace {

constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // of a trial: sufficient, weak Wolfe
constexpr int kTrials = 40;

/// Steps and the changes of the gradient along them.
class Curvature {
 public:
  explicit Curvature(int memory) : memory_(static_cast<size_t>(memory)) {}

  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }
  void add(const VecX& s, const VecX& y) {
    const double sy = s.dot(y);
    // Directions of no or negative curvature teach nothing.
    if (!(sy > 1e-14 * s.norm() * y.norm())) return;
    pairs_.push_back({s, y, 1 / sy});
    if (pairs_.size() > memory_) pairs_.pop_front();
  }
  /// d ← −H g over the entries that are free, by the two loops.
  void direction(const VecX& gradient, const std::vector<char>& free, VecX& d) const {
    const auto mask = [&](VecX& x) {
      for (Eigen::Index k = 0; k < x.size(); ++k)
        if (!free[static_cast<size_t>(k)]) x[k] = 0;
    };
    d = -gradient;
    mask(d);
    std::vector<double> alpha(pairs_.size());
    for (size_t k = pairs_.size(); k-- > 0;) {
      alpha[k] = pairs_[k].rho * pairs_[k].s.dot(d);
      d -= alpha[k] * pairs_[k].y;
    }
    if (!pairs_.empty()) d /= pairs_.back().rho * pairs_.back().y.squaredNorm();
    for (size_t k = 0; k < pairs_.size(); ++k)
      d += (alpha[k] - pairs_[k].rho * pairs_[k].y.dot(d)) * pairs_[k].s;
    mask(d);
  }

 private:
  struct Pair {
    VecX s, y;
    double rho;
  };
  size_t memory_;
  std::deque<Pair> pairs_;
};

}  // namespace

std::string to_string(MinimizeEnd end) {
  switch (end) {
    case MinimizeEnd::converged:
      return "converged";
    case MinimizeEnd::stalled:
      return "no step gains anything more";
    case MinimizeEnd::evaluations:
      return "the limit of evaluations was reached";
    case MinimizeEnd::stopped:
      return "stopped";
    case MinimizeEnd::failed:
      return "the start has no value";
    case MinimizeEnd::infeasible:
      return "the constraints contradict each other";
  }
  return "";
}

MinimizeResult minimize(const ValueFunction& f, const VecX& x0, const Bounds& bounds,
                        const MinimizeOptions& options, const OnIteration& on_iteration) {
  bounds.check(x0.size());
  MinimizeResult out;
  out.x = x0;
  bounds.clamp(out.x);
  const auto evaluate = [&](const VecX& x, double& value, VecX& gradient) {
    ++out.evaluations;
    if (f(x, value, gradient) && std::isfinite(value) && gradient.allFinite()) return true;
    ++out.rejected;
    return false;
  };
  if (!evaluate(out.x, out.value, out.gradient)) return out;

  std::vector<char> free(static_cast<size_t>(x0.size()));
  const auto update_free = [&] {
    out.gradient_norm = 0;
    for (Eigen::Index k = 0; k < x0.size(); ++k) {
      const bool held = bounds.hold(k, out.x[k], out.gradient[k]);
      free[static_cast<size_t>(k)] = !held;
      if (!held) out.gradient_norm = std::max(out.gradient_norm, std::abs(out.gradient[k]));
    }
  };
  update_free();
  const double small = options.gradient_tolerance * out.gradient_norm;
  Curvature curvature(options.memory);
  VecX d, x, gradient;
  int idle = 0;  // iterations in a row without a gain
  const auto ends = [&](MinimizeEnd end) {
    out.end = end;
    return out;
  };
  for (;;) {
    if (out.gradient_norm <= small) return ends(MinimizeEnd::converged);
    if (on_iteration && !on_iteration(out)) return ends(MinimizeEnd::stopped);
    curvature.direction(out.gradient, free, d);
    if (!(out.gradient.dot(d) < 0)) {
      curvature.clear();
      curvature.direction(out.gradient, free, d);
    }
    if (curvature.empty()) d *= options.first_step / std::max(options.first_step, d.norm());

    // Bisection between lengths that are too long and too short.
    double length = 1, shorter = 0, longer = std::numeric_limits<double>::infinity(), value = 0;
    VecX best_x, best_gradient;
    double best = out.value;
    for (int trial = 0; trial < kTrials; ++trial) {
      if (out.evaluations >= options.evaluations) break;
      x = out.x + length * d;
      bounds.clamp(x);
      const VecX s = x - out.x;
      if (s.lpNorm<Eigen::Infinity>() == 0) break;
      const double slope = out.gradient.dot(s);
      const bool valid = evaluate(x, value, gradient);
      if (!valid || !(value <= out.value + kDecrease * slope)) {
        longer = length;
      } else {
        if (value < best) {
          best = value;
          best_x = x;
          best_gradient = gradient;
        }
        if (gradient.dot(s) >= kCurvature * slope || s != length * d) break;
        shorter = length;
      }
      length = std::isinf(longer) ? 2 * length
               : valid            ? (shorter + longer) / 2
                                  : shorter + (longer - shorter) / 10;
    }
    if (best_x.size() == 0) {
      if (out.evaluations >= options.evaluations) return ends(MinimizeEnd::evaluations);
      // Curvature may have misled; the plain gradient has the last word.
      if (curvature.empty()) return ends(MinimizeEnd::stalled);
      curvature.clear();
      continue;
    }
    const double gain = out.value - best;
    curvature.add(best_x - out.x, best_gradient - out.gradient);
    out.x = best_x;
    out.gradient = best_gradient;
    out.value = best;
    ++out.iterations;
    update_free();
    if (out.evaluations >= options.evaluations) return ends(MinimizeEnd::evaluations);
    const bool gained = gain > options.value_tolerance * std::abs(out.value);
    if (!gained && ++idle == 3 && out.gradient_norm > small) return ends(MinimizeEnd::stalled);
    if (gained) idle = 0;
  }
}

}  // namespace sinew
