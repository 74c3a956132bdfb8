#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "integrate/feature_systems.hpp"
#include "sinew/integrate/simulate.hpp"

/// Every pair of features with every integrator: errors fall with the order, or the table states
/// that the pair is refused.

namespace sinew::test::feature_pairs {

inline constexpr double kUntil = 0.02;
inline constexpr int kSteps = 32;

inline std::vector<Feature> contents() {
  std::vector<Feature> out(std::begin(kFeatures), std::end(kFeatures));
  std::erase(out, Feature::steps_back);
  return out;
}

inline bool has_impulses(const System& system) {
  return system.has(Feature::contacts) || system.has(Feature::bearings);
}

/// It swings fast enough to meet its limit on the way.
inline State start(const System& system) {
  State state = system.default_state();
  state.qdot[0] = -9;
  state.qdot[1] = -4.5;  // as the coupling requires
  if (!system.has(Feature::dependent_coordinates)) state.qdot[2] = 2;
  return state;
}

inline VecX end(const System& system, const StepOptions& options, int steps) {
  State state = start(system);
  Workspace ws(system);
  const double h = kUntil / steps;
  for (int k = 0; k < steps; ++k)
    if (const StepReport report = step(system, options, h, state, ws);
        report.status != StepStatus::ok) {
      ADD_FAILURE() << "step " << k << ": " << to_string(report.status);
      break;
    }
  VecX out(state.q.size() + state.z.size());
  out << state.q, state.z;
  return out;
}

/// With steps that dopri5 chooses.
inline VecX adaptive_end(const System& system, double tolerance) {
  StepOptions options{.integrator = Integrator::dopri5};
  options.relative_tolerance = options.absolute_tolerance = tolerance;
  State state = start(system);
  Workspace ws(system);
  const SimulationSettings settings{.step = options, .dt = 1e-3, .until = kUntil};
  EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
  VecX out(state.q.size() + state.z.size());
  out << state.q, state.z;
  return out;
}

/// Whether errors fall as they should from one step length to half of it, or with the tolerance.
inline void check_order(const System& system, const StepOptions& options, const VecX& exact) {
  const IntegratorInfo& method = info(options.integrator);
  const bool impulses = has_impulses(system);
  if (method.adaptive) {
    EXPECT_LT((adaptive_end(system, 1e-5) - exact).norm(), 1e-3);
    EXPECT_LT((adaptive_end(system, 1e-9) - exact).norm(), 1e-7);
    return;
  }
  // Jumps come at some time within a step: their errors are of first order on average only.
  const int coarse = kSteps, fine = impulses ? 8 * kSteps : 2 * kSteps;
  const VecX reference = impulses ? end(system, options, 64 * kSteps) : exact;
  const double e = (end(system, options, coarse) - reference).norm(),
               e_fine = (end(system, options, fine) - reference).norm();
  // Fibres are stiff: at such steps implicit methods are of second order, with small errors.
  const bool stiff = method.implicit && system.has(Feature::hill_muscles);
  const double expected =
      impulses ? 3 : std::pow(2, (stiff ? std::min(method.order, 2) : method.order) - 0.6);
  EXPECT_LT(e, 0.02);
  // Newton's method, projections and dopri5's own tolerance leave this much.
  EXPECT_LT(e_fine, std::max(e / expected, 1e-9)) << "coarse " << e << " fine " << e_fine;
}

/// Every method, linearly implicit Euler also by conjugate gradients.
inline std::vector<StepOptions> methods() {
  std::vector<StepOptions> out;
  for (const IntegratorInfo& method : integrator_table()) {
    out.push_back({.integrator = method.integrator});
    if (method.integrator == Integrator::linearly_implicit_euler)
      out.push_back({.integrator = method.integrator,
                     .jacobian = StiffnessModel::definite,
                     .solver = LinearSolver::conjugate_gradient});
  }
  return out;
}

struct Count {
  int allowed = 0, refused = 0;
};
inline void check_pair(Feature a, Feature b, StrandVariant strands, Count& count) {
  const System system = system_with(std::array{a, b}, strands);
  const VecX exact = has_impulses(system) ? VecX() : adaptive_end(system, 1e-12);
  std::string line = fmt::format("{:<48}", to_string(a) + " + " + to_string(b));
  for (const StepOptions& options : methods()) {
    SCOPED_TRACE(line + to_string(options.integrator) +
                 (options.solver == LinearSolver::direct ? "" : " by conjugate gradients"));
    const bool may = !refusal(system, options);
    EXPECT_EQ(may, !refusal(options, a) && !refusal(options, b));
    line += may ? " yes" : "   –";
    ++(may ? count.allowed : count.refused);
    if (may) check_order(system, options, exact);
  }
  fmt::print("{}\n", line);
}

}  // namespace sinew::test::feature_pairs
