#include "sinew/adjoint/covariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/core/error.hpp"

// J = U S Vᵀ: the combination v_i has the deviation σ/s_i.

namespace sinew {
namespace {

constexpr double kShare = 0.1;   // smaller parts of a combination are not named
constexpr double kInterval = 2;  // deviations: 95 % are within

std::string describe_combination(const VecX& v, std::span<const std::string> names) {
  std::vector<Eigen::Index> order(static_cast<size_t>(v.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(v[a]) > std::abs(v[b]); });
  std::string out;
  const double sign = v[order[0]] < 0 ? -1 : 1;
  for (const Eigen::Index k : order) {
    const double c = sign * v[k];
    if (std::abs(c) < kShare) break;
    out += out.empty() ? "" : c < 0 ? " − " : " + ";
    out += fmt::format("{:.2f} {}", std::abs(c), names[static_cast<size_t>(k)]);
  }
  return out;
}

}  // namespace

Covariance covariance(const MatX& J, double variance, std::span<const std::string> names,
                      double limit, const FollowsJacobian& follows) {
  const Eigen::Index count = J.cols();
  if (static_cast<Eigen::Index>(names.size()) != count || !J.allFinite() || !(variance >= 0))
    throw Error("covariance", "needs a name for each column, finite numbers and a variance ≥ 0",
                "give the Jacobian of the residuals");
  Covariance out;
  out.matrix.setZero(count, count);
  // As many rows as columns, so that directions without any data are found, too.
  MatX square = MatX::Zero(std::max(J.rows(), count), count);
  square.topRows(J.rows()) = J;
  const Eigen::JacobiSVD<MatX> svd(square, Eigen::ComputeThinV);
  const double sigma = std::sqrt(variance);
  // Rounding leaves this of a singular value that is zero.
  const double zero = static_cast<double>(square.rows()) * std::numeric_limits<double>::epsilon() *
                      (count > 0 ? svd.singularValues()[0] : 0);
  VecX variances = VecX::Zero(count);  // with the parts of unresolved combinations
  for (Eigen::Index i = 0; i < count; ++i) {
    const VecX v = svd.matrixV().col(i);
    const double s = svd.singularValues()[i];
    const auto follows_over = [&](double deviations) {
      return !follows || follows(deviations * sigma / s * v);
    };
    if (s > zero && sigma <= limit * s && follows_over(kInterval) && follows_over(-kInterval)) {
      out.matrix.noalias() += (variance / (s * s)) * v * v.transpose();
      variances += (variance / (s * s)) * v.cwiseAbs2();
      continue;
    }
    out.unresolved.push_back(describe_combination(v, names));
    // A parameter may have a small part in a combination whose deviation is finite, but none in one
    // that the data do not touch; rounding leaves 1e-6.
    for (Eigen::Index k = 0; k < count; ++k) {
      const double most = s > zero ? kShare : 1e-6;
      variances[k] += std::abs(v[k]) >= most ? std::numeric_limits<double>::infinity()
                      : s > zero             ? variance / (s * s) * v[k] * v[k]
                                             : 0;
    }
  }
  out.deviations = variances.cwiseSqrt();
  return out;
}

}  // namespace sinew
