#include "sinew/math/lq_problem.hpp"

#include <limits>

namespace sinew {

std::vector<VecX> held_by_equal_bounds(const LqProblem& problem) {
  std::vector<VecX> held;
  for (size_t k = 0; k < problem.stages.size(); ++k) {
    const LqStage& stage = problem.stages[k];
    const Eigen::Index nu = stage.u_size(), n = nu + stage.x_size();
    held.push_back(VecX::Constant(n, std::numeric_limits<double>::quiet_NaN()));
    for (Eigen::Index j = 0; j < (k == 0 ? n : nu); ++j)
      if (stage.bound(j, -1) == stage.bound(j, 1)) held[k][j] = stage.bound(j, 1);
  }
  return held;
}

VecX stage_unknowns(const VecX& u, const VecX& x) {
  VecX v(u.size() + x.size());
  v << u, x;
  return v;
}

}  // namespace sinew
