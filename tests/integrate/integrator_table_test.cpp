#include "sinew/integrate/integrator_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "integrate/feature_systems.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace integrator_table_test {

using testing::HasSubstr;

/// The rows of the table of what runs with what: the integrators, and conjugate gradients.
std::vector<StepOptions> rows() {
  std::vector<StepOptions> out;
  for (const IntegratorInfo& method : integrator_table()) {
    out.push_back({.integrator = method.integrator});
    if (method.integrator == Integrator::linearly_implicit_euler)
      out.push_back({.integrator = method.integrator, .solver = LinearSolver::conjugate_gradient});
  }
  return out;
}

std::string row_name(const StepOptions& options) {
  return "`" + to_string(options.integrator) + "`" +
         (options.solver == LinearSolver::direct ? "" : " by conjugate gradients");
}

/// As docs/theory/integrators.md has it.
std::string markdown() {
  std::string out = "|";
  for (const Feature feature : kFeatures) out += " | " + to_string(feature);
  out += " |\n|---|";
  for (size_t k = 0; k < std::size(kFeatures); ++k) out += "---|";
  out += "\n";
  for (const StepOptions& options : rows()) {
    out += "| " + row_name(options);
    for (const Feature feature : kFeatures) out += refusal(options, feature) ? " | –" : " | yes";
    out += " |\n";
  }
  return out;
}

TEST(IntegratorTable, IsInTheOrderOfTheEnumAndNamesAreFoundAgain) {
  for (const IntegratorInfo& method : integrator_table()) {
    EXPECT_EQ(&info(method.integrator), &method);
    EXPECT_EQ(integrator_from_string(method.name), method.integrator);
  }
}

TEST(IntegratorTable, IsWhatTheDocumentationPrints) {
  std::ifstream file(test::source_dir() + "/docs/theory/integrators.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(markdown())) << "the table should be\n" << markdown();
}

TEST(IntegratorTable, RefusesBeforeAnythingIsSteppedAndNamesElementAndRemedy) {
  for (const Feature feature : kFeatures) {
    if (feature == Feature::steps_back) continue;
    const System system = test::system_with({{feature}});
    EXPECT_TRUE(system.has(feature));
    Workspace ws(system);
    for (const StepOptions& options : rows()) {
      SCOPED_TRACE(row_name(options) + ", " + to_string(feature));
      const State start = system.default_state();
      State state = start;
      const SimulationSettings settings{.step = options, .dt = 1e-4, .until = 2e-3};
      if (!refusal(options, feature)) {
        EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
        continue;
      }
      try {
        simulate(system, settings, state, ws);
        ADD_FAILURE() << "was stepped";
      } catch (const Error& error) {
        EXPECT_EQ(state, start);
        EXPECT_THAT(error.element(), HasSubstr("'"));
        for (const IntegratorInfo& method : integrator_table())
          if (error.remedy().find(method.name) != std::string::npos) {
            EXPECT_FALSE(refusal({.integrator = method.integrator}, feature));
          }
      }
    }
  }
}

TEST(IntegratorTable, StepsBackWhereNothingIsLost) {
  const System free = test::system_with({});
  const System limited = test::system_with({{Feature::contacts}});
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    const StepOptions options{.integrator = method.integrator};
    Workspace ws(free);
    State state = free.default_state();
    if (refusal(options, Feature::steps_back))
      EXPECT_THROW(step(free, options, -1e-3, state, ws), Error);
    else
      EXPECT_EQ(step(free, options, -1e-3, state, ws).status, StepStatus::ok);
    EXPECT_THROW(require_supported(limited, options, -1e-3), Error);
  }
}

TEST(IntegratorTable, DefaultsFollowFromTheContent) {
  using enum Feature;
  EXPECT_EQ(default_integrator(test::system_with({})), Integrator::semi_implicit_euler);
  EXPECT_EQ(default_integrator(test::system_with({{hill_muscles}})), Integrator::sdirk2);
  EXPECT_EQ(default_integrator(test::system_with({{massive_muscles}})), Integrator::sdirk2);
  EXPECT_EQ(default_integrator(test::system_with({{hill_muscles, contacts}})),
            Integrator::linearly_implicit_euler);
  EXPECT_EQ(default_integrator(test::system_with({{soft_bodies}})),
            Integrator::linearly_implicit_euler);
  for (const Feature feature : kFeatures) {
    const System system = test::system_with({{feature}});
    EXPECT_NO_THROW(require_supported(system, {.integrator = default_integrator(system)}, 1e-3));
  }
}

}  // namespace integrator_table_test
}  // namespace sinew
