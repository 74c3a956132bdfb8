#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sinew/io/tasks/gradient_check.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/all_models.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// `sinew gradient --check` of every task with every method that has gradients, and of tasks about
/// every OpenSim model.

namespace sinew {
namespace gradient_checks_test {

using nlohmann::json;

void expect_passed(TaskProblem& problem) {
  ValueAndGradient at;
  const VecX p = problem.start();
  ASSERT_TRUE(problem.evaluate(p, at)) << problem.failure();
  EXPECT_LT(at.newton_error, 1e-9 * at.value);  // what Newton's tolerance does to the objective
  const GradientCheck check = check_gradient(problem, p, at.gradient, false, {}, nullptr);
  EXPECT_EQ(check.failed_runs, 0) << check.failure;
  for (const GradientCheck::Direction& d : check.directions)
    EXPECT_TRUE(d.passed) << d.name << ": error " << d.best_error << ", order " << d.order
                          << ", corner " << d.corner;
}

using TaskAndMethod = std::tuple<std::filesystem::path, Integrator>;
class EveryTask : public testing::TestWithParam<TaskAndMethod> {};

TEST_P(EveryTask, HasTheGradientOfItsRun) {
  Task task = load_task(std::get<0>(GetParam()).string());
  task.integrator = std::get<1>(GetParam());
  TaskProblem problem(std::move(task));
  expect_passed(problem);
}

std::vector<std::filesystem::path> all_tasks() {
  std::vector<std::filesystem::path> out;
  for (const auto& file : std::filesystem::directory_iterator(test::source_dir() + "/tasks"))
    if (file.path().extension() == ".json") out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Of, EveryTask,
                         testing::Combine(testing::ValuesIn(all_tasks()),
                                          testing::Values(Integrator::bdf1, Integrator::sdirk2,
                                                          Integrator::bdf2)),
                         [](const auto& of) {
                           return test::test_name(std::get<0>(of.param)) + "_" +
                                  to_string(std::get<1>(of.param));
                         });

class EveryModel : public testing::TestWithParam<std::filesystem::path> {};

json model_task(const std::filesystem::path& model) {
  return {{"sinew_task", 1},
          {"model", model.string()},
          {"smooth_paths", true},
          {"run", {{"dt", 0.002}, {"until", 0.1}}},
          {"parameters", json::array()},
          {"objectives", {{{"type", "energy"}, {"at", "steps"}}}}};
}

// Controls, the start and the file of a model that was not made for this program. Nothing begins at
// rest or at its default, where laws may bend.
TEST_P(EveryModel, HasTheGradientOfItsRun) {
  const LoadedModel model = load_model(GetParam().string());
  const System system = model.system();
  json task = model_task(GetParam());
  json& parameters = task["parameters"];
  const std::string body = system.skeleton().bodies().back().name;
  std::string coordinate;
  double start = 0;
  for (int k = 0; k < system.dof_count(); ++k) {
    const std::string& name = system.coordinates()[static_cast<size_t>(k)].name;
    if (model.locked.contains(name) || model.target.coupled.coupling_of(DofIndex(k))) continue;
    task["initial"][name + "/speed"] = 0.1;
    coordinate = name;
    start = system.default_state().q[k];
  }
  task["initial"].erase(coordinate + "/speed");
  parameters.push_back(
      {{"type", "initial"}, {"state", coordinate}, {"value", start + 0.02}, {"scale", 0.1}});
  parameters.push_back({{"type", "initial"}, {"state", coordinate + "/speed"}, {"value", 0.3}});
  parameters.push_back(
      {{"type", "model"}, {"path", "/bodyset/" + body + "/mass"}, {"value", 2}, {"scale", 2}});
  if (!system.hill_muscles().empty()) {
    task["blended_activation"] = true;
    const std::string muscle = system.muscles()[system.hill_muscles()[0]]->muscle().name;
    task["excitations"] = {{"all", 0.2}};
    task["excitations"].erase(muscle);
    parameters.push_back({{"type", "control"},
                          {"control", muscle},
                          {"knots", 4},
                          {"interpolation", "cubic"},
                          {"value", {0.1, 0.4, 0.2, 0.3}}});
    parameters.push_back({{"type", "model"},
                          {"path", "/forceset/" + muscle + "/max_isometric_force"},
                          {"value", 800},
                          {"scale", 800}});
  }
  TaskProblem problem(parse_task(task.dump(), "model-task", ""));
  expect_passed(problem);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryModel, testing::ValuesIn(test::all_models()),
                         [](const auto& of) { return test::test_name(of.param); });

TEST(GradientChecks, PassFiftyKnotsOfEachMuscleOfArm26) {
  SINEW_NEEDS_REFERENCE();
  json task = model_task(*test::reference_dir() / "opensim" / "models" / "arm26.osim");
  task["blended_activation"] = true;
  task["run"]["until"] = 0.5;
  for (const char* muscle : {"TRIlong", "TRIlat", "TRImed", "BIClong", "BICshort", "BRA"})
    task["parameters"].push_back(
        {{"type", "control"}, {"control", muscle}, {"knots", 50}, {"value", 0.1}});
  task["objectives"] = {{{"type", "point"},
                         {"body", "r_ulna_radius_hand"},
                         {"point", {0, -0.25, 0}},
                         {"target", {0.3, -0.2, 0}}}};
  TaskProblem problem(parse_task(task.dump(), "arm26-task", ""));
  ASSERT_EQ(problem.unknowns().size(), 300u);
  expect_passed(problem);
}

}  // namespace gradient_checks_test
}  // namespace sinew
