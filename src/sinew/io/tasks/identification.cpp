#include "sinew/io/tasks/identification.hpp"

#include <cmath>

namespace sinew {
namespace {

/// Residuals may miss what the Jacobian says by this part of the noise.
constexpr double kBend = 0.5;

}  // namespace

std::optional<Identification> identify(TaskProblem& problem, const VecX& p) {
  VecX r;
  MatX J;
  if (!problem.evaluate_residuals(p, r, &J)) return std::nullopt;
  Identification out;
  out.data = problem.state_residuals();
  if (out.data <= p.size()) return std::nullopt;
  const double variance = r.head(out.data).squaredNorm() / static_cast<double>(out.data - p.size());
  out.noise = std::sqrt(variance);
  std::vector<std::string> names;
  for (const TaskProblem::Unknown& unknown : problem.unknowns()) names.push_back(unknown.name);
  VecX moved;
  const auto follows = [&](const VecX& change) {
    return problem.evaluate_residuals(p + change, moved, nullptr) &&
           (moved - r - J * change).norm() <= kBend * out.noise;
  };
  const Covariance told = covariance(J, variance, names, 1, follows);
  out.unresolved = told.unresolved;
  out.deviations.resize(p.size());
  out.correlations.setZero(p.size(), p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    out.deviations[i] = told.deviations[i] * problem.unknowns()[static_cast<size_t>(i)].scale;
    for (Eigen::Index j = 0; j < p.size(); ++j)
      if (std::isfinite(told.deviations[i]) && std::isfinite(told.deviations[j]) &&
          told.deviations[i] * told.deviations[j] > 0)
        out.correlations(i, j) = told.matrix(i, j) / (told.deviations[i] * told.deviations[j]);
  }
  return out;
}

}  // namespace sinew
