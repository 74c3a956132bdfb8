#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "sinew/builder/system_builder.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/random_tree.hpp"

/// The two laws of the workspace (throwing it away changes no bit; after the first call nothing
/// allocates) and their consequence: threads with their own workspaces do not affect each other.

namespace sinew {
namespace workspace_laws_test {

System tree(unsigned seed) {
  return test::with_random_forces(test::random_tree(seed, 3 + static_cast<int>(seed) % 12).build(),
                                  seed);
}

System chain(int links) {
  SkeletonBuilder builder;
  for (int i = 0; i < links; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    if (i > 0) spec.parent = "b" + std::to_string(i - 1);
    spec.joint = Revolute(i % 2 ? Vec3::UnitZ() : Vec3::UnitX());
    spec.E_PJ = Pose::Translation(Vec3(0, -0.1, 0));
    spec.M_B = SpatialInertia::FromCentral(0.1, Vec3(0, -0.05, 0), 1e-4 * Mat3::Identity());
    builder.add_body(spec);
  }
  return SystemBuilder(builder.build()).build();
}

/// Every result of the equation at one point.
class Results {
 public:
  explicit Results(const System& system)
      : n_(system.dof_count()),
        qddot_(n_),
        g_(n_),
        p_(n_),
        dL_dq_(n_),
        x_(n_),
        correction_(n_),
        scratch_(n_),
        b_(VecX::Ones(n_)) {}

  static constexpr int kCalls = 8;

  void call(int which, const System& system, const VecX& q, const VecX& qdot, Workspace& ws) {
    switch (which) {
      case 0:
        return forward_dynamics(system, {0.3, q, qdot}, ws, qddot_);
      case 1:
        return inverse_dynamics(system, {0.3, q, qdot}, b_, ws, g_);
      case 2:
        return linearize(system, {0.3, q, qdot}, b_, StiffnessModel::exact, ws, g_, full_);
      case 3:
        return linearize(system, {0.3, q, qdot}, b_, StiffnessModel::redmax, ws, g_, reference_);
      case 4:
        return momentum_and_force(system, {0.3, q, qdot}, ws, p_, dL_dq_);
      case 5:
        return momentum_correction(system, {0.3, q, qdot}, b_, 0.1, true, ws, scratch_,
                                   correction_);
      case 6:
        factor_mass_matrix(system, {0.3, q, qdot}, ws);
        return solve_mass_matrix(system, ws, b_, x_);
      default:
        energy_ = energy(system, {0.3, q, qdot}, ws);
    }
  }

  std::vector<double> numbers() const {
    std::vector<double> all{energy_.kinetic, energy_.gravity, energy_.elastic};
    const auto add = [&](const auto& m) { all.insert(all.end(), m.data(), m.data() + m.size()); };
    for (const VecX* v : {&qddot_, &g_, &p_, &dL_dq_, &x_, &correction_, &scratch_}) add(*v);
    for (const Linearization* at : {&full_, &reference_}) {
      add(at->M);
      add(at->dg_dq);
      add(at->dg_dqdot);
    }
    return all;
  }

 private:
  int n_;
  VecX qddot_, g_, p_, dL_dq_, x_, correction_, scratch_, b_;
  Linearization full_, reference_;
  Energy energy_;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Every call has its own workspace, discarded at once.
std::vector<double> with_fresh_workspaces(const System& system, const test::RandomState& state) {
  Results results(system);
  for (int k = 0; k < Results::kCalls; ++k) {
    Workspace ws(system);
    results.call(k, system, state.q, state.qdot, ws);
  }
  return results.numbers();
}

TEST(Workspace, HistoryChangesNoBit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const System system = tree(seed);
    const test::RandomState state = test::random_state(system.skeleton(), seed);
    const test::RandomState other = test::random_state(system.skeleton(), seed + 1);
    const std::vector<double> expected = with_fresh_workspaces(system, state);
    for (const double x : expected) ASSERT_TRUE(std::isfinite(x));

    Workspace ws(system);
    for (int first = 0; first < Results::kCalls; ++first) {
      // Another state, nonsense, and then every call in another order.
      Results results(system), scrap(system);
      const VecX nonsense =
          VecX::Constant(system.dof_count(), std::numeric_limits<double>::quiet_NaN());
      for (int k = 0; k < Results::kCalls; ++k) scrap.call(k, system, other.q, other.qdot, ws);
      for (int k = 0; k < Results::kCalls; ++k) scrap.call(k, system, nonsense, nonsense, ws);
      for (int k = 0; k < Results::kCalls; ++k)
        results.call((first + k) % Results::kCalls, system, state.q, state.qdot, ws);
      EXPECT_TRUE(same_bits(results.numbers(), expected)) << "seed " << seed << ", " << first;
    }
  }
}

TEST(Workspace, IsTheOnlyThingThatThreadsMustNotShare) {
  constexpr unsigned kThreads = 4, kStates = 6;
  const System system = tree(8);
  std::vector<std::vector<double>> expected;
  for (unsigned s = 0; s < kStates; ++s)
    expected.push_back(with_fresh_workspaces(system, test::random_state(system.skeleton(), s)));

  std::vector<std::vector<std::vector<double>>> found(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&system, &mine = found[t], t] {
      Workspace ws(system);
      for (unsigned s = 0; s < kStates; ++s) {  // each in its own order
        const test::RandomState state = test::random_state(system.skeleton(), (s + t) % kStates);
        Results results(system);
        for (int k = 0; k < Results::kCalls; ++k) results.call(k, system, state.q, state.qdot, ws);
        mine.push_back(results.numbers());
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 0; t < kThreads; ++t)
    for (unsigned s = 0; s < kStates; ++s)
      EXPECT_TRUE(same_bits(found[t][s], expected[(s + t) % kStates]));
}

TEST(Workspace, IsAllocatedOnce) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  std::vector<System> systems{chain(100)};
  for (unsigned seed = 0; seed < 10; ++seed) systems.push_back(tree(seed));
  for (const System& system : systems) {
    const test::RandomState a = test::random_state(system.skeleton(), 1);
    const test::RandomState b = test::random_state(system.skeleton(), 2);
    Workspace ws(system);
    Results results(system);
    for (int k = 0; k < Results::kCalls; ++k) {
      results.call(k, system, a.q, a.qdot, ws);
      const test::AllocationGuard guard;
      results.call(k, system, b.q, b.qdot, ws);
      EXPECT_EQ(guard.count(), 0) << "call " << k << ", " << system.dof_count() << " coordinates";
    }
  }
}

}  // namespace workspace_laws_test
}  // namespace sinew
