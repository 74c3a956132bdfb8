#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"
#include "io/osim/small_models.hpp"

/// Bad models and motions as a user meets them: one line on the error stream, the right exit code.

namespace sinew::test {
namespace bad_files_test {

using testing::HasSubstr;

std::string muscle_model(const std::string& properties) {
  return pin_model(osim_set(
      "ForceSet", "<Millard2012EquilibriumMuscle name=\"m\">" + properties +
                      "<GeometryPath><PathPointSet><objects><PathPoint name=\"a\"><body>ground"
                      "</body></PathPoint><PathPoint name=\"b\"><body>arm</body><location>0.1 0 0"
                      "</location></PathPoint></objects></PathPointSet></GeometryPath>"
                      "</Millard2012EquilibriumMuscle>"));
}

std::string motion(const std::string& rows, const std::string& label = "angle") {
  return "m\nversion=1\ninDegrees=no\nendheader\ntime\t" + label + "\n" + rows;
}
const std::string kRows = "0\t0\n0.1\t0.1\n0.2\t0.3\n";

struct Case {
  std::string model, motion;
  int exit_code;
  std::string message;
};

std::vector<Case> cases() {
  const std::string pin = pin_model(), good = motion(kRows);
  const std::string muscle = muscle_model("");
  return {
      // truncated and other XML
      {muscle.substr(0, muscle.size() / 2), good, 2, "not well-formed XML"},
      {muscle.substr(0, muscle.size() - 20), good, 2, "not well-formed XML"},
      {"", good, 2, "not well-formed XML"},
      {"not XML at all", good, 2, "not well-formed XML"},
      {osim_document("", 20302), good, 2, "opensim-cmd update-file"},
      // unknown coordinates, bodies and frames that hang on themselves
      {muscle, motion(kRows, "angel"), 2, "has no coordinate of the model"},
      {pin_model(osim_set("ConstraintSet",
                          "<CoordinateCouplerConstraint name=\"c\"><independent_coordinate_names>"
                          "angel</independent_coordinate_names></CoordinateCouplerConstraint>")),
       good, 2, "did you mean 'angle'?"},
      {osim_document(osim_set("BodySet", osim_body("arm")) +
                     osim_set("JointSet", osim_joint("PinJoint", "j", "/ground", "/bodyset/amr"))),
       good, 2, "did you mean 'arm'?"},
      {osim_document(
           osim_set("BodySet",
                    osim_body("arm",
                              "<components><PhysicalOffsetFrame name=\"f\"><socket_parent>../g"
                              "</socket_parent></PhysicalOffsetFrame><PhysicalOffsetFrame "
                              "name=\"g\"><socket_parent>../f</socket_parent></PhysicalOffsetFrame>"
                              "</components>")) +
           osim_set("JointSet",
                    "<PinJoint name=\"j\"><socket_parent_frame>/ground</socket_parent_frame>"
                    "<socket_child_frame>/bodyset/arm/f</socket_child_frame></PinJoint>")),
       good, 2, "is its own ancestor"},
      // zero and negative parameters
      {muscle_model("<max_isometric_force>0</max_isometric_force>"), good, 2, "is not positive"},
      {muscle_model("<optimal_fiber_length>-0.1</optimal_fiber_length>"), good, 2,
       "is not positive"},
      {muscle_model("<tendon_slack_length>0</tendon_slack_length>"), good, 2, "is not positive"},
      {muscle_model("<fiber_damping>-1</fiber_damping>"), good, 2, "is negative"},
      {muscle_model("<pennation_angle_at_optimal>20</pennation_angle_at_optimal>"), good, 2,
       "it is in radians"},
      // motions
      {muscle, motion("0\t0\n0.1\tnan\n0.2\t0.1\n"), 2, "not a number at t = 0.1 s"},
      {muscle, motion("0\t0\n0.1\n"), 2, "1 numbers for 2 columns"},
      {muscle, motion("0\t0\t1\n"), 2, "3 numbers for 2 columns"},
      {muscle, motion("0\t0\n0.1\tx\n"), 2, "'x' is not a number"},
      {muscle, motion("0\t0\n0.1\t1\n0.05\t1\n"), 2, "back in time"},
      {muscle, motion(""), 2, "no rows"},
      {muscle, good.substr(0, 20), 2, "endheader"},
      {muscle, motion("0\t0\n0.1\t30\n0.2\t60\n"), 0, "are these degrees?"},
  };
}

TEST(BadFiles, EachIsOneLineAndTheRightExitCode) {
  const TemporaryFolder folder;
  for (const Case& bad : cases()) {
    SCOPED_TRACE(bad.message);
    std::ofstream(folder / "model.osim") << bad.model;
    std::ofstream(folder / "motion.mot") << bad.motion;
    const ProgramResult result = run_program("muscles " + (folder / "model.osim").string() + " " +
                                             (folder / "motion.mot").string());
    EXPECT_EQ(result.exit_code, bad.exit_code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(bad.message));
    EXPECT_THAT(result.err, HasSubstr(bad.exit_code == 0 ? "sinew: warning: " : "sinew: error: "));
    if (bad.exit_code != 0) {
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
  }
}

}  // namespace bad_files_test
}  // namespace sinew::test
