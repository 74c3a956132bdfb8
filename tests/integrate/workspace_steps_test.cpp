#include <gtest/gtest.h>

#include "integrate/feature_systems.hpp"
#include "support/allocation_guard.hpp"

/// The two laws of the workspace, over steps of systems with all that a system may have: throwing
/// it away between two steps changes no bit, and after the first steps nothing allocates.

namespace sinew {
namespace workspace_steps_test {

struct Run {
  Feature feature;
  Integrator integrator;
};

std::vector<Run> runs() {
  std::vector<Run> out;
  for (const Feature feature : kFeatures)
    for (const IntegratorInfo& method : integrator_table())
      if (!refusal({.integrator = method.integrator}, feature))
        out.push_back({feature, method.integrator});
  return out;
}

class WorkspaceOfSteps : public testing::TestWithParam<Run> {};
INSTANTIATE_TEST_SUITE_P(Of, WorkspaceOfSteps, testing::ValuesIn(runs()), [](const auto& s) {
  std::string name = to_string(s.param.feature) + "_" + to_string(s.param.integrator);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(WorkspaceOfSteps, IsDisposable) {
  const System system = test::system_with({{GetParam().feature}});
  const StepOptions options{.integrator = GetParam().integrator};
  State kept = system.default_state(), fresh = kept;
  Workspace ws(system);
  for (int k = 0; k < 12; ++k) {
    ASSERT_EQ(step(system, options, 1e-3, kept, ws).status, StepStatus::ok);
    Workspace other(system);
    ASSERT_EQ(step(system, options, 1e-3, fresh, other).status, StepStatus::ok);
    ASSERT_EQ(kept, fresh) << k;
  }
}

TEST_P(WorkspaceOfSteps, DoesNotAllocateAfterTheFirstSteps) {
  const System system = test::system_with({{GetParam().feature}});
  const StepOptions options{.integrator = GetParam().integrator};
  State state = system.default_state();
  Workspace ws(system);
  for (int k = 0; k < 4; ++k) step(system, options, 1e-3, state, ws);
  const test::AllocationGuard guard;
  for (int k = 0; k < 4; ++k) step(system, options, 1e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST(WorkspaceOfSteps, LeavesNoFactorsToAStageWhoseStepHasNone) {
  // The first stage is at rest and solved by its guess; the force sets in before the second.
  SystemBuilder builder(test::slider(2, 0, 0));
  builder.add_force(
      std::make_shared<JointTorque>("push", DofIndex(0),
                                    TimeTable::FromRows({0, 0.005}, {VecX::Zero(1), VecX::Ones(1)},
                                                        TimeTable::Interpolation::step, "push")));
  builder.add_force(std::make_shared<JointSpring>("spring", DofIndex(0), 50.0, 3.0, 0.0));
  const System system = builder.build();
  for (const Integrator integrator : {Integrator::sdirk2, Integrator::sdirk4}) {
    const StepOptions options{.integrator = integrator};
    Workspace used(system), fresh(system);
    State other = system.default_state();
    other.q[0] = 1;
    ASSERT_EQ(step(system, options, 0.1, other, used).status, StepStatus::ok);
    State a = system.default_state(), b = a;
    ASSERT_EQ(step(system, options, 0.01, a, used).status, StepStatus::ok);
    ASSERT_EQ(step(system, options, 0.01, b, fresh).status, StepStatus::ok);
    EXPECT_EQ(a, b) << to_string(integrator);
  }
}

}  // namespace workspace_steps_test
}  // namespace sinew
