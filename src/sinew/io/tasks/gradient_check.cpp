#include "sinew/io/tasks/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sinew/core/error.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

constexpr size_t kRoundedSteps = 5;  // the last of them show nothing but rounding
/// What rounding changes of the objective of a run, relative.
constexpr double kRoundingOfRuns = 1e-12;

/// 10^-2, 10^-2.5, …, 10^-9.
std::vector<double> sweep_steps() {
  std::vector<double> out;
  for (int k = 4; k <= 18; ++k) out.push_back(std::pow(10.0, -0.5 * k));
  return out;
}

/// Unit vectors, or random ones of the same length with all parameters in them.
struct CheckedDirection {
  std::string name;
  VecX d;
};
std::vector<CheckedDirection> checked_directions(const TaskProblem& problem, bool each) {
  const auto n = static_cast<Eigen::Index>(problem.unknowns().size());
  std::vector<CheckedDirection> out;
  if (each || n <= kMostSingleChecks) {
    for (Eigen::Index k = 0; k < n; ++k)
      out.push_back({problem.unknowns()[static_cast<size_t>(k)].name, VecX::Unit(n, k)});
    return out;
  }
  std::mt19937_64 random(1);
  for (int k = 0; k < kRandomChecks; ++k) {
    VecX d(n);
    for (double& x : d) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    out.push_back({"random direction " + std::to_string(k + 1), d.normalized()});
  }
  return out;
}

/// Slope of log error over log step by least squares on steps [first, last).
double order_of(const std::vector<double>& steps, const std::vector<double>& errors, size_t first,
                size_t last) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = first; i < last; ++i) {
    const double x = std::log10(steps[i]), y = std::log10(errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Finds the best step and the order before it. Rounding grows as 1/h, and is what the smallest
/// steps show; steps with ten times that are clean. Of those the three to five smallest count: at
/// large steps higher powers of h bend the line. Where Newton's tolerance leaves a plateau far
/// below the accepted error, those above it count. A run with kinks has corners nearby, which spoil
/// the order of steps that reach them.
void judge(const std::vector<double>& steps, bool kinks, GradientCheck::Direction& out) {
  const auto best = static_cast<size_t>(std::min_element(out.errors.begin(), out.errors.end()) -
                                        out.errors.begin());
  out.best_error = out.errors[best];
  out.best_step = steps[best];
  double rounding = out.best_error * out.best_step;
  for (size_t i = steps.size() - kRoundedSteps; i < steps.size(); ++i)
    rounding = std::max(rounding, out.errors[i] * steps[i]);
  bool measured = false;  // errors of a size that matters
  for (const double least : {0.01 * kPassingError, 0.0}) {
    const auto clean = [&](size_t i) {
      return std::isfinite(out.errors[i]) &&
             out.errors[i] > std::max(10 * rounding / steps[i], least);
    };
    size_t last = best;
    while (last > 0 && !clean(last - 1)) --last;
    // The error after them is too small to count, but may show that they fall faster: where large
    // steps pass a corner that small ones do not reach, errors drop at once.
    for (size_t first = last; first > 0 && last - first < 5 && clean(first - 1);) {
      --first;
      measured |= least > 0 && last - first >= 2;
      if (last - first >= 3 || (last - first == 2 && last == best))
        out.order = std::max(out.order, order_of(steps, out.errors, first, last));
      if (last - first >= 2)
        out.order = std::max(out.order, order_of(steps, out.errors, first, last + 1));
    }
  }
  out.exact = !measured && out.best_error <= kPassingError;
  // Where runs halve a step, they jump by a little as parameters move, which spoils the order of
  // single steps. A gradient that differences over three steps in a row confirm is right.
  const auto most_in_a_row = [&](double accepted) {
    size_t in_a_row = 0, most = 0;
    for (const double error : out.errors) {
      in_a_row = error <= accepted ? in_a_row + 1 : 0;
      most = std::max(most, in_a_row);
    }
    return most;
  };
  const bool ordered =
      out.exact || out.order >= kPassingOrder || most_in_a_row(0.01 * kPassingError) >= 3;
  // One step may be right by luck, where the error of the difference makes up for the gradient's.
  out.bent = kinks && !ordered && most_in_a_row(kPassingError) >= 2;
  out.passed = out.best_error <= kPassingError && (ordered || out.bent);
}

}  // namespace

bool GradientCheck::Direction::at_corner() const {
  // A wrong gradient of a smooth objective has errors far above this difference.
  return !passed && corner > kPassingError && corner > 0.1 * best_error;
}

GradientCheck check_gradient(const TaskProblem& problem, const VecX& p, const VecX& gradient,
                             bool each, const std::function<void(long long, long long)>& on_run,
                             const std::atomic<bool>* stop) {
  GradientCheck out;
  out.steps = sweep_steps();
  const std::vector<CheckedDirection> directions = checked_directions(problem, each);
  double scale = 0;
  for (const CheckedDirection& direction : directions)
    scale = std::max(scale, std::abs(gradient.dot(direction.d)));
  if (scale == 0) scale = 1;
  const bool kinks = !problem.kinks().empty();
  const double here = problem.value_from_file(p);
  out.runs = 1;
  const auto value_at = [&](const VecX& moved) {
    try {
      return problem.value_from_file(moved);
    } catch (const Error& error) {
      ++out.failed_runs;
      out.failure = error.what();
      return std::numeric_limits<double>::quiet_NaN();
    }
  };
  const auto total = static_cast<long long>(2 * out.steps.size() * directions.size() + 1);
  for (const CheckedDirection& direction : directions) {
    GradientCheck::Direction checked{direction.name, gradient.dot(direction.d), {}};
    checked.corner = kInfinity;
    double change = 2 * out.steps.front() * scale;  // the largest, claimed or seen
    for (const double h : out.steps) {
      if (stop != nullptr && *stop) {
        out.interrupted = true;
        return out;
      }
      const double above = value_at(p + h * direction.d);
      const double below = value_at(p - h * direction.d);
      change = std::max(change, std::abs(above - below));
      // Luck is not accuracy: no error is below the rounding of the difference.
      const double rounding =
          std::numeric_limits<double>::epsilon() * std::max(std::abs(above), std::abs(below)) / h;
      const double error = std::abs((above - below) / (2 * h) - checked.slope_of_value);
      checked.errors.push_back(std::isfinite(error) ? std::max(error, rounding) / scale
                                                    : kInfinity);
      const double bend = std::abs(above - 2 * here + below) / h;
      checked.corner = std::min(checked.corner, std::max(bend, rounding) / scale);
      out.runs += 2;
      if (on_run) on_run(out.runs, total);
    }
    // Parameters without effect have no slope that errors could be a part of: the value is.
    if (change <= kRoundingOfRuns * std::abs(here)) {
      const double by_value = scale / std::max(scale, std::abs(here));
      for (double& error : checked.errors) error *= by_value;
      checked.corner *= by_value;
    }
    judge(out.steps, kinks, checked);
    out.worst_error = std::max(out.worst_error, checked.best_error);
    if (checked.at_corner()) out.corner = std::max(out.corner, checked.corner);
    out.directions.push_back(std::move(checked));
  }
  out.passed = std::all_of(out.directions.begin(), out.directions.end(),
                           [](const GradientCheck::Direction& d) { return d.passed; });
  return out;
}

}  // namespace sinew
