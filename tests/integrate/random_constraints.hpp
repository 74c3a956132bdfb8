#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "support/constraint_examples.hpp"

namespace sinew::test {

struct RandomOutcome {
  int finished = 0;  ///< ran to its end with its constraints satisfied
  int refused = 0;   ///< by an Error that names a constraint
  int failed = 0;    ///< stopped by a step that gives a reason
};

/// Builds and runs random systems, ten steps each with some integrator, and expects that nothing
/// worse happens than what RandomOutcome counts.
inline RandomOutcome run_random_constrained_systems(unsigned first, unsigned count) {
  RandomOutcome out;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const SystemBuilder builder = random_constrained_system(seed);
    try {
      const System system = builder.build();
      Workspace ws(system);
      State state = system.default_state();
      StepOptions options = with(all_integrators()[seed % all_integrators().size()]);
      options.projection = seed % 7 != 0;
      options.baumgarte = options.projection ? Baumgarte{} : Baumgarte{5, 5, 5};
      StepReport report;
      for (int k = 0; k < 10 && report.status == StepStatus::ok; ++k) {
        report = step(system, options, 2e-3, state, ws);
        EXPECT_TRUE(state.q.allFinite() && state.qdot.allFinite()) << seed;
        if (report.status == StepStatus::ok && options.projection) {
          // Some systems fly apart: positions of 1e8 m are known to 1e-8 m.
          double size = std::max(1.0, state.q.norm());
          for (const LinkMotion& link : ws.skeleton.link) size = std::max(size, link.p.norm());
          EXPECT_LE(report.constraint_error, 1e-9 * size) << seed;
        }
      }
      ++(report.status == StepStatus::ok ? out.finished : out.failed);
      if (report.status == StepStatus::constraint_failed) {
        EXPECT_GE(report.worst_constraint, 0) << seed;
      }
      EXPECT_FALSE(to_string(report.status).empty());
    } catch (const Error& e) {
      ++out.refused;
      EXPECT_THAT(e.element(), ::testing::StartsWith("constraint '")) << seed;
    }
  }
  return out;
}

}  // namespace sinew::test
