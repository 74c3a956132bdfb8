#include "sinew/io/tasks/identification.hpp"

#include <cmath>

namespace sinew {
namespace {

/// Indices of the unknowns that no limit holds at p.
std::vector<Eigen::Index> free_unknowns(const TaskProblem& problem, const VecX& p) {
  const Bounds bounds = problem.bounds();
  std::vector<Eigen::Index> out;
  for (Eigen::Index k = 0; k < p.size(); ++k)
    if (p[k] > bounds.lower[k] && p[k] < bounds.upper[k]) out.push_back(k);
  return out;
}

}  // namespace

std::optional<Identification> identify(TaskProblem& problem, const VecX& p) {
  const std::vector<Eigen::Index> free = free_unknowns(problem, p);
  VecX r;
  MatX J;
  if (!problem.evaluate_residuals(p, r, &J)) return std::nullopt;
  Identification out;
  out.data = problem.state_residuals();
  const auto count = static_cast<Eigen::Index>(free.size());
  if (out.data <= count) return std::nullopt;
  const double variance = r.head(out.data).squaredNorm() / static_cast<double>(out.data - count);
  out.noise = std::sqrt(variance);
  std::vector<std::string> names;
  for (const Eigen::Index k : free)
    names.push_back(problem.unknowns()[static_cast<size_t>(k)].name);
  const Covariance told = covariance(J(Eigen::all, free), variance, names);
  out.unresolved = told.unresolved;
  out.deviations.setZero(p.size());
  out.correlations.setZero(p.size(), p.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index a = free[static_cast<size_t>(i)];
    out.deviations[a] = told.deviations[i] * problem.unknowns()[static_cast<size_t>(a)].scale;
    for (Eigen::Index j = 0; j < count; ++j)
      if (std::isfinite(told.deviations[i]) && std::isfinite(told.deviations[j]) &&
          told.deviations[i] * told.deviations[j] > 0)
        out.correlations(a, free[static_cast<size_t>(j)]) =
            told.matrix(i, j) / (told.deviations[i] * told.deviations[j]);
  }
  return out;
}

}  // namespace sinew
