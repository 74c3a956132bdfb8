#include "sinew/math/qp.hpp"

#include <algorithm>

#include "sinew/math/qp_active_set.hpp"

namespace sinew {

const MatX QpProblem::kNoMatrix;
const VecX QpProblem::kNoVector;

std::string_view to_string(QpStatus status) {
  switch (status) {
    case QpStatus::optimal:
      return "optimal";
    case QpStatus::infeasible:
      return "infeasible";
    case QpStatus::unbounded:
      return "unbounded";
    case QpStatus::not_convex:
      return "not convex";
    case QpStatus::not_finite:
      return "not finite";
    case QpStatus::iteration_limit:
      return "iteration limit";
    case QpStatus::inaccurate:
      return "inaccurate";
  }
  return "unknown";
}

double QpCertificate::worst() const {
  return std::max({stationarity, primal, dual, complementarity});
}

QpSolver::QpSolver(int max_iterations)
    : active_set_(std::make_unique<QpActiveSet>(max_iterations)) {}
QpSolver::~QpSolver() = default;
QpSolver::QpSolver(QpSolver&&) noexcept = default;
QpSolver& QpSolver::operator=(QpSolver&&) noexcept = default;

QpResult QpSolver::solve(const QpProblem& problem, const QpWarmStart* warm) {
  return active_set_->solve(problem, warm);
}

}  // namespace sinew
