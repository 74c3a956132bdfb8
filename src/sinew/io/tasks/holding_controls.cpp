#include "sinew/io/tasks/holding_controls.hpp"

#include <fmt/format.h>

#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {

VecX holding_controls(const System& system, const State& start, const std::vector<int>& controls) {
  if (!system.constraints().empty())
    throw Error("\"hold\"", "is for models without constraints", "give numbers");
  State rest = start;
  rest.qdot.setZero();
  Workspace ws(system);
  VecX u(system.controls().size()), zero = VecX::Zero(system.dof_count()), g = zero, moved = zero;
  system.controls().evaluate(rest.t, rest, u);
  for (const int control : controls) u[control] = 0;
  // g = M q̈ − f at rest: what is missing without the controls, and what each of them gives.
  const auto missing = [&](VecX& out) {
    inverse_dynamics(system, {rest.t, rest.q, rest.qdot, rest.z, 0, u}, zero, ws, out);
  };
  missing(g);
  MatX given(g.size(), static_cast<Eigen::Index>(controls.size()));
  for (size_t k = 0; k < controls.size(); ++k) {
    u[controls[k]] = 1;
    missing(moved);
    u[controls[k]] = 0;
    given.col(static_cast<Eigen::Index>(k)) = g - moved;
  }
  const VecX held = given.completeOrthogonalDecomposition().solve(g);
  const double left = (g - given * held).lpNorm<Eigen::Infinity>();
  if (left > 1e-8 * g.lpNorm<Eigen::Infinity>())
    throw Error(
        "\"hold\"",
        fmt::format("these controls cannot hold the start: {:.3g} N m or N are missing", left),
        "add a motor for each coordinate, or give numbers");
  return held;
}

}  // namespace sinew
