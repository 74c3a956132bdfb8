#include "sinew/io/scene/hill_reader.hpp"

#include <gmock/gmock.h>

#include "io/scene_run.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace hill_reader_test {

using testing::HasSubstr;

/// A forearm on a hinge "elbow" and a cart "c_1" that slides, with a flexor that has these keys.
std::string arm(const std::string& hill, const std::string& more = "",
                const std::string& units = "si", const std::string& scene = "") {
  return R"({"sinew_scene": 1, "units": ")" + units + R"(", "bodies": [
  {"name": "forearm", "parent": "world",
   "joint": {"name": "e", "type": "revolute", "axis": [0, 0, 1], "coordinates": ["elbow"], "q0": 0.5, "damping": 0.6},
   "inertia": {"mass": 1.5, "com": [0, -0.15, 0], "moments": [0.01, 0.002, 0.01]}},
  {"name": "cart", "parent": "world", "joint": {"name": "c", "type": "prismatic", "axis": [1, 0, 0]},
   "inertia": {"mass": 1, "moments": [1, 1, 1]}}
  ],
  )" + scene +
         R"("muscles": {"list": [{"name": "flexor", )" + more +
         R"("path": [{"body": "world", "position": [0.02, 0.3, 0]},
                            {"body": "forearm", "position": [0.02, -0.04, 0]}],
  "hill": {)" +
         hill + R"(}}]},
  "simulation": {"integrator": "sdirk2", "dt": 0.001, "until": 0.5}})";
}
constexpr const char* kSizes =
    R"("max_isometric_force": 500, "optimal_fibre_length": 0.12, "tendon_slack_length": 0.2)";
std::string sized(const std::string& keys) { return kSizes + (", " + keys); }

Scene read(const std::string& text) { return parse_scene(text, "test.json", "", {}); }
const HillDescription& only(const Scene& scene) {
  return *scene.system.muscles().at(scene.system.hill_muscles().at(0))->muscle().hill;
}
std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HillReader, ReadsEveryKey) {
  const Scene scene = read(arm(sized(
      R"("pennation": 0.2, "max_contraction_velocity": 8, "curves": "degroote-fregly", "damping": 0.02,
         "activation_time": 0.012, "deactivation_time": 0.05, "min_activation": 0.02,
         "initial_activation": 0.3, "initial_fibre_length": 0.11,
         "excitation": {"type": "sine", "amplitude": 0.2, "frequency": 5, "offset": 0.4},
         "feedback": {"coordinate": "elbow", "gain": -0.5, "target": 1.2})")));
  const HillDescription& d = only(scene);
  EXPECT_EQ(d.muscle.max_isometric_force, 500);
  EXPECT_EQ(d.muscle.optimal_fibre_length, 0.12);
  EXPECT_EQ(d.muscle.tendon_slack_length, 0.2);
  EXPECT_EQ(d.muscle.pennation_at_optimal, 0.2);
  EXPECT_EQ(d.muscle.max_contraction_velocity, 8);
  EXPECT_TRUE(std::holds_alternative<DeGrooteFregly2016Curves>(d.muscle.curves));
  EXPECT_EQ(d.muscle.damping, 0.02);
  EXPECT_FALSE(d.muscle.rigid_tendon);
  EXPECT_EQ(d.activation.activation_time, 0.012);
  EXPECT_EQ(d.activation.deactivation_time, 0.05);
  EXPECT_EQ(d.activation.minimum, 0.02);
  EXPECT_EQ(d.excitation.derivatives(0)[0], 0.4);
  EXPECT_EQ(d.excitation.derivatives(0)[1], 1);
  const State state = scene.system.default_state();
  EXPECT_EQ(state.z[0], 0.3);
  EXPECT_EQ(state.z[1], 0.11);
  // elbow at 0.5 rad, 0.7 rad short of its target
  VecX controls(1);
  scene.system.controls().evaluate(0, state, controls);
  EXPECT_NEAR(controls[0], 0.4 + 0.5 * 0.7, 1e-15);
}

TEST(HillReader, TheDefaultIsMillardsDampedEquilibriumAtRest) {
  const Scene scene = read(arm(kSizes));
  const HillDescription& d = only(scene);
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<const Millard2012Curves>>(d.muscle.curves));
  EXPECT_EQ(d.muscle.damping, 0.1);
  EXPECT_EQ(scene.system.default_state().z[0], 0.05);
  EXPECT_EQ(only(read(arm(sized(R"("curves": "thelen")")))).muscle.damping, 0);
}

TEST(HillReader, UnitsAreThoseOfTheFile) {
  const Scene scene = read(arm(
      R"("max_isometric_force": 5e7, "optimal_fibre_length": 12, "tendon_slack_length": 20,
         "feedback": {"coordinate": "c_1", "gain": 0.02, "target": 50})",
      "", "cgs"));
  const HillDescription& d = only(scene);
  EXPECT_NEAR(d.muscle.max_isometric_force, 500, 1e-12);
  EXPECT_NEAR(d.muscle.optimal_fibre_length, 0.12, 1e-15);
  EXPECT_NEAR(d.feedback->gain, 2, 1e-14);  // per metre
  EXPECT_NEAR(d.feedback->target, 0.5, 1e-15);
}

TEST(HillReader, MistakesAreSaidOfTheMuscleAndItsLine) {
  const auto expect = [](const std::string& text, const std::string& problem) {
    EXPECT_THAT(error_of(text), HasSubstr("test.json:")) << problem;
    EXPECT_THAT(error_of(text), HasSubstr("muscle 'flexor'")) << problem;
    EXPECT_THAT(error_of(text), HasSubstr(problem));
  };
  expect(arm(R"("max_isometric_force": 500, "optimal_fibre_length": 0.1)"),
         "has no 'tendon_slack_length'");
  expect(arm(sized(R"("penation": 0.1)")), "unknown key 'penation'; did you mean 'pennation'?");
  expect(arm(sized(R"("pennation": 20)")), "it is in radians");
  expect(arm(sized(R"("curves": "millart")")), "did you mean 'millard'?");
  expect(arm(sized(R"("curves": "thelen", "damping": 0.1)")), "curves of Thelen do not have");
  expect(arm(sized(R"("excitation": 1.2)")), "'excitation' is greater than 1");
  expect(arm(sized(R"("min_activation": 1)")), "minimum_activation");
  EXPECT_THAT(error_of(arm(sized(R"("initial_fibre_length": 10)"))),
              HasSubstr("its fibre length is 10"));
  expect(arm(sized(R"("feedback": {"coordinate": "elbo", "gain": 1})")), "did you mean 'elbow'?");
  expect(arm(kSizes, R"("tension": 3, )"), "has both 'tension' and 'hill'");
  expect(arm(sized(R"("feedback": {"coordinate": "c_1", "gain": 1})"), "", "si",
             R"("dependent_coordinates": [{"coordinate": "c_1", "arguments": ["elbow"],
                 "function": {"type": "linear", "coefficients": [2]}}], )"),
         "feedback of a coordinate that depends on others");
}

TEST(HillReader, TheWorkOfTensionsIsTheSkeletonsGainOfEnergy) {
  for (const char* curves : {"millard", "thelen", "degroote-fregly"})
    for (const char* rigid : {"true", "false"}) {
      const Scene scene = read(arm(
          sized(R"("excitation": {"type": "sine", "amplitude": 0.3, "frequency": 6, "offset": 0.35},
                            "curves": ")" +
                std::string(curves) + R"(", "rigid_tendon": )" + rigid)));
      const test::SceneRun run = test::run(scene);
      EXPECT_EQ(run.result.end, SimulationEnd::finished);
      // Second order in steps of 1 ms; measured 1.1e-5 to 1.9e-5.
      EXPECT_LT(run.audit.energy_error, 1e-4) << curves << " " << rigid;
      EXPECT_TRUE(run.audit.passed) << run.audit.verdict;
    }
}

TEST(HillReader, ProportionalControlHoldsAnAngle) {
  // The flexor carries the forearm against gravity; the higher the gain, the nearer to the target.
  const auto end = [](double gain) {
    Scene scene = read(arm(sized(R"("feedback": {"coordinate": "elbow", "gain": -)" +
                                 std::to_string(gain) + R"(, "target": 1.2})")));
    scene.settings.until = 4;
    return test::run(scene).state;
  };
  const State soft = end(0.5), stiff = end(2);
  EXPECT_NEAR(stiff.qdot[0], 0, 0.02);  // settled
  EXPECT_LT(std::abs(stiff.q[0] - 1.2), 0.3);
  EXPECT_LT(std::abs(stiff.q[0] - 1.2), std::abs(soft.q[0] - 1.2));
}

}  // namespace hill_reader_test
}  // namespace sinew
