#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/analysis/audit.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/hybrid.hpp"
#include "support/jacobian_form.hpp"
#include "support/maximal.hpp"
#include "support/random_tree.hpp"
#include "support/source_dir.hpp"

/// Tests too long for every build: `make validate`.

namespace sinew {
namespace long_runs_test {

double difference(const VecX& a, const VecX& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// The effect of rounding on M⁻¹ f: ε times the conditioning of M, by both roads.
double rounding(const MatX& M) {
  const VecX sizes = M.selfadjointView<Eigen::Lower>().eigenvalues();
  return 2 * std::numeric_limits<double>::epsilon() * sizes.maxCoeff() / sizes.minCoeff();
}

TEST(LongRuns, TwoThousandRandomTreesAgreeByEveryRoad) {
  double worst_form = 0, worst_hybrid = 0, worst_maximal = 0;
  for (unsigned seed = 1000; seed < 3000; ++seed) {
    const System system = test::with_random_forces(
        test::random_tree(seed, 3 + static_cast<int>(seed) % 14).build(), seed);
    const test::RandomState state = test::random_state(system.skeleton(), seed);
    const int n = system.dof_count();
    Workspace ws(system);
    VecX qddot(n), hybrid = VecX::Zero(n), tau = VecX::Zero(n);
    forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
    const test::JacobianForm form = test::jacobian_form(system, state.qdot, ws);
    hybrid_dynamics(system.skeleton(), system.gravity(), ws.forces,
                    std::vector<bool>(static_cast<size_t>(n), false), state.qdot, ws.skeleton,
                    hybrid, tau);
    const MaximalSolution maximal = maximal_dynamics(system.skeleton(), system.gravity(), ws.forces,
                                                     state.q, state.qdot, ws.skeleton);
    const double by_form = difference(qddot, form.M.ldlt().solve(form.f));
    const double by_hybrid = difference(hybrid, qddot);
    const double by_maximal = difference(maximal.qddot, qddot);
    worst_form = std::max(worst_form, by_form);
    worst_hybrid = std::max(worst_hybrid, by_hybrid);
    worst_maximal = std::max(worst_maximal, by_maximal);
    EXPECT_LT(std::max({by_form, by_hybrid, by_maximal}), std::max(1e-11, rounding(form.M)))
        << "seed " << seed;
  }
  std::printf("worst differences: Jacobian form %.1e, hybrid %.1e, maximal %.1e\n", worst_form,
              worst_hybrid, worst_maximal);
}

TEST(LongRuns, EverySceneFinishesAndPassesItsAudit) {
  const std::filesystem::path folder = std::filesystem::path(test::source_dir()) / "scenes";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = load_scene(entry.path());
    SimulationSettings settings = scene.settings;
    Workspace ws(scene.system);
    State state = initial_state(scene.system, settings.step);
    Audit audit(scene.system, settings.step, state, ws, settings.accepted_energy_gain);
    SimulationObserver observer;
    observer.on_step = [&](const State& now, const StepReport& report) {
      audit.add_step(now, report, ws);
    };
    const SimulationResult result = simulate(scene.system, settings, state, ws, observer);
    EXPECT_EQ(result.end, SimulationEnd::finished)
        << scene.name << ": " << describe_failure(scene.system, result, state);
    EXPECT_TRUE(audit.report().passed) << scene.name << ": " << audit.report().verdict;
  }
}

TEST(LongRuns, VariationalKeepsTheEnergyOfTheDoublePendulumForFiveMinutes) {
  const Scene scene =
      load_scene(std::filesystem::path(test::source_dir()) / "scenes/double-pendulum.json");
  SimulationSettings settings = scene.settings;
  settings.until = 300;
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  Audit audit(scene.system, settings.step, state, ws);
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport& report) {
    audit.add_step(now, report, ws);
  };
  EXPECT_EQ(simulate(scene.system, settings, state, ws, observer).end, SimulationEnd::finished);
  std::printf("energy error over 300 s: %.2e\n", audit.report().energy_error);
  // Thirty times the span of the target of 1e-3: no drift may eat it up.
  EXPECT_LT(audit.report().energy_error, 2e-3);
}

}  // namespace long_runs_test
}  // namespace sinew
