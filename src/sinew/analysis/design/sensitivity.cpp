#include "sinew/analysis/design/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "sinew/math/philox.hpp"

// With f at A, at B and at A_j, A with parameter j of B, over N base points:
//     V   variance of f over all A and B,
//     S_j = 1/N Σ f(B) (f(A_j) − f(A)) / V,        Saltelli et al. (2010), table 2 (b),
//     T_j = 1/(2N) Σ (f(A) − f(A_j))² / V,         Jansen (1999).
// f enters less its mean, which changes no expectation and makes S_j less noisy.

namespace sinew {
namespace {

struct Estimates {
  std::vector<double> first, total;
  double variance = 0;
};

/// `rows`: base points, by number among the columns of `f`: f(A), f(B), f(A_1) …
template <class Row>
Estimates estimate(const MatX& f, Eigen::Index count, Row&& row) {
  const Eigen::Index k = f.rows() - 2;
  double mean = 0;
  for (Eigen::Index i = 0; i < count; ++i) mean += f(0, row(i)) + f(1, row(i));
  mean /= 2 * static_cast<double>(count);
  Estimates out{.first = std::vector<double>(static_cast<size_t>(k), 0.0),
                .total = std::vector<double>(static_cast<size_t>(k), 0.0)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto column = f.col(row(i));
    const double a = column[0] - mean, b = column[1] - mean;
    out.variance += a * a + b * b;
    for (Eigen::Index j = 0; j < k; ++j) {
      const double change = column[j + 2] - mean - a;
      out.first[static_cast<size_t>(j)] += b * change;
      out.total[static_cast<size_t>(j)] += change * change;
    }
  }
  const auto n = static_cast<double>(count);
  out.variance /= 2 * n;
  for (double& s : out.first) s /= n * out.variance;
  for (double& t : out.total) t /= 2 * n * out.variance;
  return out;
}

/// The 2.5 % and 97.5 % quantiles.
std::pair<double, double> middle_95(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.025), at(0.975)};
}

}  // namespace

SensitivityIndices sensitivity_indices(const std::vector<double>& results, size_t k,
                                       std::uint64_t seed, int resamples) {
  const size_t block = k + 2;
  MatX f(static_cast<Eigen::Index>(block), static_cast<Eigen::Index>(results.size() / block));
  Eigen::Index used = 0;
  for (size_t b = 0; (b + 1) * block <= results.size(); ++b) {
    const Eigen::Map<const VecX> runs(results.data() + b * block, f.rows());
    if (runs.allFinite()) f.col(used++) = runs;
  }
  SensitivityIndices out{.first = std::vector<SensitivityIndex>(k),
                         .total = std::vector<SensitivityIndex>(k),
                         .used = static_cast<std::uint64_t>(used)};
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const auto write = [&](std::vector<SensitivityIndex>& indices,
                         const std::vector<double>& values) {
    for (size_t j = 0; j < k; ++j) indices[j] = {values[j], values[j], values[j]};
  };
  if (used < 2) {
    write(out.first, std::vector<double>(k, nothing));
    write(out.total, std::vector<double>(k, nothing));
    return out;
  }
  const Estimates all = estimate(f, used, [](Eigen::Index i) { return i; });
  out.variance = all.variance;
  write(out.first, all.first);
  write(out.total, all.total);
  const RandomNumbers random(seed, RandomUse::resampling);
  std::vector<std::vector<double>> first(k), total(k);
  for (int r = 0; r < resamples; ++r) {
    const Estimates sample = estimate(f, used, [&](Eigen::Index i) {
      return static_cast<Eigen::Index>(random.below(static_cast<std::uint32_t>(used),
                                                    static_cast<std::uint64_t>(i),
                                                    static_cast<std::uint32_t>(r)));
    });
    for (size_t j = 0; j < k; ++j) {
      first[j].push_back(sample.first[j]);
      total[j].push_back(sample.total[j]);
    }
  }
  for (size_t j = 0; j < k && resamples > 0; ++j) {
    std::tie(out.first[j].lower, out.first[j].upper) = middle_95(first[j]);
    std::tie(out.total[j].lower, out.total[j].upper) = middle_95(total[j]);
  }
  return out;
}

namespace {

std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> out(x.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    for (size_t m = i; m < end; ++m) out[order[m]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return out;
}

}  // namespace

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> a, b;
  for (size_t i = 0; i < x.size(); ++i)
    if (!std::isnan(x[i]) && !std::isnan(y[i])) {
      a.push_back(x[i]);
      b.push_back(y[i]);
    }
  a = ranks(a);
  b = ranks(b);
  const double mean = 0.5 * (static_cast<double>(a.size()) - 1);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    xx += (a[i] - mean) * (a[i] - mean);
    yy += (b[i] - mean) * (b[i] - mean);
    xy += (a[i] - mean) * (b[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sinew
