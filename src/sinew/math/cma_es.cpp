#include "sinew/math/cma_es.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <vector>

#include "sinew/core/error.hpp"
#include "sinew/math/normal_numbers.hpp"
#include "sinew/math/symmetric_eigen.hpp"

namespace sinew {
namespace {

/// The axes of a distribution whose condition is larger are not told apart by rounding.
constexpr double kWorstCondition = 1e14;

/// Weights and rates, by the names and equations of Hansen (2016), table 1 and section A.
struct CmaRates {
  CmaRates(Eigen::Index size, int population) : n(static_cast<double>(size)) {
    lambda = population > 0 ? population : 4 + static_cast<int>(std::floor(3 * std::log(n)));
    mu = lambda / 2;
    w.resize(lambda);
    for (int i = 0; i < lambda; ++i) w[i] = std::log((lambda + 1) / 2.0) - std::log(i + 1.0);
    const auto best = w.head(mu), others = w.tail(lambda - mu);
    mu_eff = best.sum() * best.sum() / best.squaredNorm();
    const double mu_eff_others =
        others.squaredNorm() > 0 ? others.sum() * others.sum() / others.squaredNorm() : 0;
    c_sigma = (mu_eff + 2) / (n + mu_eff + 5);
    d_sigma = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma;
    c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
    c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu_eff);
    c_mu = std::min(1 - c_1, 2 * (0.25 + mu_eff + 1 / mu_eff - 2) / ((n + 2) * (n + 2) + mu_eff));
    // Eqs. (49) to (53): the sum of the negative weights.
    const double least = std::min(
        {1 + c_1 / c_mu, 1 + 2 * mu_eff_others / (mu_eff + 2), (1 - c_1 - c_mu) / (n * c_mu)});
    const double positive = w.cwiseMax(0).sum(), negative = -w.cwiseMin(0).sum();
    for (double& weight : w)
      weight *= weight >= 0 ? 1 / positive : least / std::max(negative, 1e-300);
    expected_length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  }

  double n;
  int lambda, mu;  // points; those that the mean moves to
  VecX w;          // by rank; negative ones from about the middle
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu;
  double expected_length;  // of a normal vector
};

/// The distribution m + σ N(0, C), C = B diag(d²) Bᵀ, in units of the first deviations.
class CmaDistribution {
 public:
  CmaDistribution(Eigen::Index n, const CmaRates& rates)
      : rates_(rates),
        mean_(VecX::Zero(n)),
        path_(VecX::Zero(n)),
        sigma_path_(VecX::Zero(n)),
        d_(VecX::Ones(n)),
        C_(MatX::Identity(n, n)),
        B_(MatX::Identity(n, n)),
        steps_(n, rates.lambda) {}

  /// Column i of the steps becomes B (d ∘ z): one point of the new generation.
  VecX draw(int i, NormalNumbers& normal) {
    VecX z(d_.size());
    for (double& entry : z) entry = normal();
    steps_.col(i) = B_ * d_.cwiseProduct(z);
    return mean_ + sigma_ * steps_.col(i);
  }

  void shrink(double factor) { sigma_ *= factor; }
  double condition() const { return std::pow(d_.maxCoeff() / d_.minCoeff(), 2); }
  /// The largest deviation along a coordinate.
  double deviation() const { return sigma_ * std::sqrt(C_.diagonal().maxCoeff()); }
  /// Whether a fifth of each coordinate's deviation changes the mean, counted from zero at `zero`.
  bool moves(const VecX& zero) const {
    const VecX step = 0.2 * sigma_ * C_.diagonal().cwiseMax(0).cwiseSqrt(), at = zero + mean_;
    for (Eigen::Index k = 0; k < at.size(); ++k)
      if (at[k] + step[k] == at[k]) return false;
    return true;
  }

  /// `order`: the points by rank, best first. False if C lost its definiteness by rounding.
  bool update(const std::vector<int>& order) {
    const CmaRates& r = rates_;
    ++generation_;
    VecX y_w = VecX::Zero(mean_.size());  // eqs. (41), (42)
    for (int i = 0; i < r.mu; ++i) y_w += r.w[i] * steps_.col(order[static_cast<size_t>(i)]);
    mean_ += sigma_ * y_w;
    // Eqs. (43), (44): the path in units in which the distribution is a ball gives the length.
    sigma_path_ = (1 - r.c_sigma) * sigma_path_ +
                  std::sqrt(r.c_sigma * (2 - r.c_sigma) * r.mu_eff) * whitened(y_w);
    const double length = sigma_path_.norm();
    // Eqs. (45) to (47): the path in plain units, and the ranked points, shape C.
    const double settled = std::sqrt(1 - std::pow(1 - r.c_sigma, 2 * generation_));
    const bool calm = length / settled < (1.4 + 2 / (r.n + 1)) * r.expected_length;
    path_ *= 1 - r.c_c;
    if (calm) path_ += std::sqrt(r.c_c * (2 - r.c_c) * r.mu_eff) * y_w;
    C_ *= 1 + (calm ? 0 : r.c_1 * r.c_c * (2 - r.c_c)) - r.c_1 - r.c_mu * r.w.sum();
    C_ += r.c_1 * path_ * path_.transpose();
    for (int i = 0; i < r.lambda; ++i) {
      const VecX y = steps_.col(order[static_cast<size_t>(i)]);
      const double w = r.w[i] >= 0 ? r.w[i] : r.w[i] * r.n / whitened(y).squaredNorm();
      C_ += r.c_mu * w * y * y.transpose();
    }
    sigma_ *= std::exp(std::min(1.0, r.c_sigma / r.d_sigma * (length / r.expected_length - 1)));
    return update_axes();
  }

 private:
  /// C^(−½) y.
  VecX whitened(const VecX& y) const { return B_ * (B_.transpose() * y).cwiseQuotient(d_); }
  bool update_axes() {
    const double interval = 1 / (10 * rates_.n * (rates_.c_1 + rates_.c_mu));
    if (generation_ - axes_of_ < std::max(1, static_cast<int>(interval))) return true;
    axes_of_ = generation_;
    const SymmetricEigen eigen = symmetric_eigen(C_);
    if (!(eigen.values.minCoeff() > 0)) return false;
    d_ = eigen.values.cwiseSqrt();
    B_ = eigen.vectors;
    return true;
  }

  const CmaRates& rates_;
  int generation_ = 0, axes_of_ = 0;
  double sigma_ = 1;
  VecX mean_, path_, sigma_path_, d_;
  MatX C_, B_, steps_;
};

/// An unknown x within its bounds as a function of a number z without any: x = z between them, but
/// for a margin w at each, where x = l + (z − l + w)²/4w. Its slope is continuous and zero at the
/// bound, beyond which it is reflected, so that a minimum at a bound is as smooth as one inside.
class BoundMap {
 public:
  BoundMap(double lower, double upper, double deviation)
      : lower_(lower), upper_(upper), margin_(std::min(deviation, 0.25 * (upper - lower))) {}

  double x(double z) const {
    if (std::isinf(lower_) && std::isinf(upper_)) return z;
    if (std::isinf(upper_)) return lower_ + height(std::abs(z - (lower_ - margin_)));
    if (std::isinf(lower_)) return upper_ - height(std::abs(z - (upper_ + margin_)));
    const double half = upper_ - lower_ + 2 * margin_;  // of the period
    const double phase = std::fmod(std::abs(z - (lower_ - margin_)), 2 * half);
    const double up = std::min(phase, 2 * half - phase);
    const double x = up < half / 2 ? lower_ + height(up) : upper_ - height(half - up);
    return std::clamp(x, lower_, upper_);
  }
  double z(double x) const {
    if (x < lower_ + margin_) return lower_ - margin_ + 2 * std::sqrt(margin_ * (x - lower_));
    if (x > upper_ - margin_) return upper_ + margin_ - 2 * std::sqrt(margin_ * (upper_ - x));
    return x;
  }

 private:
  /// x above the bound where z is `up` above the place of the reflection.
  double height(double up) const {
    return up < 2 * margin_ ? up * up / (4 * margin_) : up - margin_;
  }
  double lower_, upper_, margin_;
};

VecX all_deviations(const VecX& deviations, Eigen::Index n) {
  const VecX all = deviations.size() == 1 ? VecX::Constant(n, deviations[0]) : deviations;
  if (n == 0 || all.size() != n || !(all.minCoeff() > 0) || !all.allFinite())
    throw Error("deviations of CMA-ES", "they do not fit the unknowns",
                "give one positive number for each unknown, or one for all");
  return all;
}

/// Whether values of the last generations, best ones over some time and all of the last, are equal.
class ValueHistory {
 public:
  explicit ValueHistory(const CmaRates& rates)
      : span_(10 + static_cast<size_t>(std::ceil(30 * rates.n / rates.lambda))) {}
  bool flat(const std::vector<double>& values, const std::vector<int>& order, double tolerance) {
    const auto ranked = [&](int i) { return values[static_cast<size_t>(i)]; };
    best_.push_back(ranked(order.front()));
    if (best_.size() > span_) best_.pop_front();
    const auto [low, high] = std::minmax_element(best_.begin(), best_.end());
    const double range = std::max(*high, ranked(order.back())) - *low;
    return best_.size() == span_ && range <= tolerance;
  }

 private:
  size_t span_;
  std::deque<double> best_;
};

}  // namespace

CmaResult cma_es(const PlainFunction& f, const VecX& x0, const Bounds& bounds,
                 const CmaOptions& options, const OnGeneration& on_generation) {
  bounds.check(x0.size());
  const VecX deviations = all_deviations(options.deviations, x0.size());
  CmaResult out;
  VecX x = x0;
  bounds.clamp(x);
  const auto evaluate = [&] {
    ++out.evaluations;
    double value = 0;
    if (!f(x, value) || !std::isfinite(value)) {
      ++out.rejected;
      return std::numeric_limits<double>::infinity();
    }
    if (out.x.size() == 0 || value < out.value) {
      out.x = x;
      out.value = value;
    }
    return value;
  };
  const auto ends = [&](MinimizeEnd end) {
    out.end = end;
    return out;
  };
  const double first = evaluate();
  if (std::isinf(first)) {
    out.x = x;
    return ends(MinimizeEnd::failed);
  }
  // The search has the unknowns that are not fixed, in units of their deviations.
  std::vector<Eigen::Index> free;
  std::vector<BoundMap> maps;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (bounds.lower_of(k) == bounds.upper_of(k)) continue;
    free.push_back(k);
    maps.emplace_back(bounds.lower_of(k), bounds.upper_of(k), deviations[k]);
  }
  if (free.empty()) return ends(MinimizeEnd::converged);
  const VecX unit = deviations(free);
  VecX start = x(free);
  for (size_t k = 0; k < maps.size(); ++k)
    start[static_cast<Eigen::Index>(k)] = maps[k].z(start[static_cast<Eigen::Index>(k)]);

  const CmaRates rates(unit.size(), options.population);
  CmaDistribution distribution(unit.size(), rates);
  NormalNumbers normal(options.seed);
  ValueHistory history(rates);
  std::vector<double> values(static_cast<size_t>(rates.lambda));
  std::vector<int> order(values.size());
  for (;;) {
    if (on_generation && !on_generation(out)) return ends(MinimizeEnd::stopped);
    if (out.evaluations + rates.lambda > options.evaluations) return ends(MinimizeEnd::evaluations);
    for (int i = 0; i < rates.lambda; ++i) {
      const VecX z = start + unit.cwiseProduct(distribution.draw(i, normal));
      for (size_t k = 0; k < maps.size(); ++k)
        x[free[k]] = maps[k].x(z[static_cast<Eigen::Index>(k)]);
      values[static_cast<size_t>(i)] = evaluate();
    }
    ++out.iterations;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
    });
    // A generation without a value cannot be ranked: the next one stays closer.
    const bool none = std::isinf(values[static_cast<size_t>(order.front())]);
    const bool definite = none || distribution.update(order);
    if (none) distribution.shrink(0.5);
    out.deviation = distribution.deviation();
    out.condition = distribution.condition();
    if (out.deviation <= options.step_tolerance ||
        history.flat(values, order, options.value_tolerance * std::abs(first)))
      return ends(MinimizeEnd::converged);
    if (!definite || out.condition > kWorstCondition ||
        !distribution.moves(start.cwiseQuotient(unit)))
      return ends(MinimizeEnd::stalled);
  }
}

}  // namespace sinew
