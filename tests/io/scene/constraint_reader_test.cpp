#include "sinew/io/scene/constraint_reader.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <set>

#include "io/scene_text.hpp"
#include "sinew/analysis/reactions.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {
namespace constraint_reader_test {

using testing::ElementsAre;
using testing::HasSubstr;

Scene read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "test.json", "", overrides);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A hinge "h", on it a slider "s", and a ball "b" beside them, without gravity.
std::string with_constraints(const std::string& list) {
  return R"({"sinew_scene": 1, "gravity": [0, 0, 0], "bodies": [
      {"name": "hinge", "parent": "world", "joint": {"name": "h", "type": "revolute", "axis": [0, 0, 1]},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "slider", "parent": "hinge",
       "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0], "q0": 1},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "ball", "parent": "world",
       "joint": {"name": "b", "type": "free-3d", "q0": [1, 0, 0, 0, 0, 0]},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
      "constraints": [)" +
         list + "]}";
}

struct Example {
  const char* text;
  int rows;
  ConstraintLevel level;
};

const Example kExamples[] = {
    {R"({"type": "ball", "bodies": ["slider", "ball"], "points": [[0, 0, 0], [0, 0, 0]]})", 3,
     ConstraintLevel::position},
    {R"({"type": "hinge", "bodies": ["world", "ball"], "points": [[1, 0, 0], [0, 0, 0]],
         "axes": [[0, 0, 2], [0, 0, 1]]})",
     5, ConstraintLevel::position},
    {R"({"type": "weld", "bodies": ["slider", "ball"],
         "placements": [[0, 0, 0], {"position": [0, 0, 0], "rotation": {"axis": [1, 0, 0], "angle": 0.1}}]})",
     6, ConstraintLevel::position},
    {R"({"type": "distance", "bodies": ["world", "ball"], "points": [[0, 0, 0], [0, 0, 0]], "length": "initial"})",
     1, ConstraintLevel::position},
    {R"({"type": "point-on-line", "bodies": ["world", "ball"], "points": [[0, 0, 0], [0, 0, 0]],
         "direction": [3, 0, 0]})",
     2, ConstraintLevel::position},
    {R"({"type": "point-on-plane", "bodies": ["world", "ball"], "points": [[0, 0, 0], [0, 0, 0]],
         "normal": [0, 2, 0]})",
     1, ConstraintLevel::position},
    {R"({"type": "coupling", "coordinate": "s_1", "arguments": ["h_1", "b_2"],
         "function": {"type": "linear", "coefficients": [2, 3], "offset": 1}})",
     1, ConstraintLevel::position},
    {R"({"type": "gear", "driver": "h_1", "driven": "s_1", "ratio": 0.5, "offset": 1})", 1,
     ConstraintLevel::position},
    {R"({"type": "prescribed-coordinate", "coordinate": "h_1", "level": "acceleration",
         "function": {"type": "constant", "value": 2}})",
     1, ConstraintLevel::acceleration},
    {R"({"type": "prescribed-twist", "body": "ball", "point": [0, 1, 0], "rows": [
         {"part": "angular", "direction": [0, 0, 5], "function": {"type": "constant", "value": 2}},
         {"part": "linear", "direction": [1, 0, 0], "frame": "world", "function": {"type": "sine", "amplitude": 1}}]})",
     2, ConstraintLevel::velocity}};

TEST(ConstraintReader, ReadsEveryType) {
  std::set<std::string> types;
  for (const Example& example : kExamples) {
    const Scene scene = read(with_constraints(example.text));
    ASSERT_EQ(scene.system.constraints().size(), 1u);
    const Constraint& constraint = *scene.system.constraints()[0];
    EXPECT_EQ(constraint.name(), "constraint-1");
    EXPECT_EQ(constraint.rows(), example.rows) << example.text;
    EXPECT_EQ(constraint.level(), example.level) << example.text;
    EXPECT_THAT(example.text, HasSubstr("\"" + scene.constraint_types[0] + "\""));
    EXPECT_THAT(scene.system.redundancies(), testing::IsEmpty()) << example.text;
    types.insert(scene.constraint_types[0]);
    // The file's coordinates satisfy all of them.
    const State described = scene.system.described_state();
    if (scene.constraint_types[0] == "weld") continue;
    EXPECT_LT((scene.system.default_state().q - described.q).norm(), 1e-12) << example.text;
  }
  EXPECT_EQ(types.size(), scene_keys::kConstraintTypes.size());
}

TEST(ConstraintReader, MeansByAFunctionOfTimeWhatTheTableInTheDocumentationSays) {
  const auto value = [](const std::string& function, double t) {
    const Scene scene = read(with_constraints(
        R"({"type": "prescribed-coordinate", "coordinate": "h_1", "level": "velocity", "function": )" +
        function + "}"));
    Workspace ws(scene.system);
    const State state = scene.system.default_state();
    constraint_violation(scene.system, t, state.q, state.qdot, ws);
    return -ws.constraints.rows.rate[0];
  };
  EXPECT_EQ(value(R"({"type": "constant", "value": 3})", 7), 3);
  EXPECT_EQ(value(R"({"type": "polynomial", "coefficients": [1, 2, 3]})", 2), 17);
  EXPECT_DOUBLE_EQ(
      value(R"({"type": "sine", "amplitude": 2, "frequency": 3, "phase": 0.5, "offset": 1})", 2),
      1 + 2 * std::sin(6.5));
  EXPECT_DOUBLE_EQ(
      value(R"({"type": "logistic", "amplitude": 2, "rate": 3, "center": 0.5, "offset": 1})", 0.7),
      1 + 2 / (1 + std::exp(-3 * 0.2)));
  const std::string table = R"({"type": "table", "times": [0, 1, 3], "values": [0, 2, 6], )";
  EXPECT_EQ(value(table + R"("interpolation": "step"})", 2), 2);
  EXPECT_EQ(value(table + R"("interpolation": "linear"})", 2), 4);
  EXPECT_DOUBLE_EQ(value(table + R"("interpolation": "cubic"})", 2), 4);  // they lie on a line
  const std::string pieces = R"({"type": "piecewise", "starts": [0, 2], "pieces": [
      {"type": "polynomial", "coefficients": [0, 1]}, {"type": "constant", "value": -1}]})";
  EXPECT_EQ(value(pieces, 1.5), 1.5);
  EXPECT_EQ(value(pieces, 2), -1);
}

/// A number of every dimension; {value unit} becomes a number.
const std::string kDimensions = R"({
  "sinew_scene": 1, "units": "UNITS", "gravity": [0, {-9.8 m}, 0],
  "bodies": [
    {"name": "hinge", "parent": "world",
     "joint": {"name": "h", "type": "revolute", "axis": [0, 0, 1], "q0": 0.4, "qdot0": 1},
     "inertia": {"mass": {2 kg}, "com": [{0.2 m}, 0, 0], "moments": [{0.1 kgm2}, {0.2 kgm2}, {0.2 kgm2}]}},
    {"name": "slider", "parent": "hinge",
     "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0], "q0": {0.3 m}},
     "inertia": {"mass": {1 kg}, "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}},
    {"name": "turn", "parent": "slider",
     "joint": {"name": "t", "type": "spherical", "q0": [0.1, 0.2, 0.3]},
     "inertia": {"mass": {1 kg}, "com": [0, {0.1 m}, 0], "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}},
    {"name": "free", "parent": "world",
     "joint": {"name": "f", "type": "free-3d", "q0": [{0.5 m}, {0.2 m}, {0.1 m}, 0, 0, 0]},
     "inertia": {"mass": {1 kg}, "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}},
    {"name": "other", "parent": "world",
     "joint": {"name": "o", "type": "free-3d", "q0": [{0.7 m}, {0.2 m}, {0.3 m}, 0, 0, 0]},
     "inertia": {"mass": {1 kg}, "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}},
    {"name": "rack", "parent": "world", "joint": {"name": "r", "type": "prismatic", "axis": [1, 0, 0]},
     "inertia": {"mass": {1 kg}, "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}},
    {"name": "wheel", "parent": "world", "joint": {"name": "w", "type": "revolute", "axis": [0, 0, 1]},
     "inertia": {"mass": {1 kg}, "moments": [{0.1 kgm2}, {0.1 kgm2}, {0.1 kgm2}]}}
  ],
  "constraints": [
    {"type": "distance", "name": "tie", "bodies": ["turn", "free"], "points": [[0, {0.2 m}, 0], [{0.1 m}, 0, 0]],
     "length": {0.25 m}},
    {"type": "point-on-plane", "name": "plane", "bodies": ["world", "free"], "points": [[0, {0.2 m}, 0], [0, 0, 0]],
     "normal": [0, 1, 0.2]},
    {"type": "point-on-line", "name": "line", "bodies": ["slider", "other"], "points": [[0, {0.1 m}, 0], [0, 0, {0.1 m}]],
     "direction": [1, 0.5, 0.2]},
    {"type": "coupling", "name": "cam", "coordinate": "s_1", "arguments": ["h_1"],
     "function": {"type": "polynomial", "coefficients": [{0.2 m}, {0.1 m}, {0.3 m}]}},
    {"type": "coupling", "name": "follower", "coordinate": "w_1", "arguments": ["r_1"],
     "function": {"type": "spline", "x": [{-1 m}, {0.1 m}, {1 m}], "y": [-2, 1, 3]}},
    {"type": "gear", "name": "rack", "driver": "h_1", "driven": "r_1", "ratio": {0.05 m}, "offset": {0.01 m}},
    {"type": "prescribed-coordinate", "name": "spin", "coordinate": "f_4",
     "function": {"type": "polynomial", "coefficients": [0.3, 2, 1]}},
    {"type": "prescribed-twist", "name": "push", "body": "other", "point": [0, {0.1 m}, 0], "rows": [
      {"part": "linear", "direction": [1, 1, 0], "frame": "world",
       "function": {"type": "polynomial", "coefficients": [{0.5 m}, {0.7 m}]}},
      {"part": "angular", "direction": [1, 0, 0],
       "function": {"type": "table", "times": [0, 1], "values": [1, 3], "interpolation": "linear"}}]}
  ]
})";

TEST(ConstraintReader, MeansTheSameInEitherSystemOfUnits) {
  const Scene si = read(test::in_units(kDimensions, "si", 1, 1));
  const Scene cgs = read(test::in_units(kDimensions, "cgs", 100, 1000));
  const State a = si.system.default_state(), b = cgs.system.default_state();
  // Both were projected to 1e-12.
  EXPECT_LT((a.q - b.q).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((a.qdot - b.qdot).cwiseAbs().maxCoeff(), 1e-10);
  std::vector<double> forces_a, forces_b;
  Workspace ws_a(si.system), ws_b(cgs.system);
  reactions(si.system, si.settings.step, a, si.system.controls(), ws_a, forces_a);
  reactions(cgs.system, cgs.settings.step, b, cgs.system.controls(), ws_b, forces_b);
  ASSERT_EQ(forces_a.size(), 15u);
  for (size_t k = 0; k < forces_a.size(); ++k)
    EXPECT_NEAR(forces_a[k], forces_b[k], 1e-8 * std::max(1.0, std::abs(forces_a[k]))) << k;
}

TEST(ConstraintReader, ConvertsARackThatAHandCanCheck) {
  const Scene scene = read(R"({"sinew_scene": 1, "units": "cgs", "bodies": [
      {"name": "pinion", "parent": "world",
       "joint": {"name": "p", "type": "revolute", "axis": [0, 0, 1], "q0": 2},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "rack", "parent": "world", "joint": {"name": "r", "type": "prismatic", "axis": [1, 0, 0], "q0": 16},
       "inertia": {"mass": 1e12, "moments": [1e12, 1e12, 1e12]}}],
      "constraints": [{"type": "gear", "driver": "p_1", "driven": "r_1", "ratio": 5, "offset": 1}]})");
  // The rack is heavy and stays at 16 cm = 1 cm + 5 cm/rad × 3 rad.
  EXPECT_NEAR(scene.system.default_state().q[0], 3, 1e-9);
  EXPECT_NEAR(scene.system.default_state().q[1], 0.16, 1e-9);
}

TEST(ConstraintReader, MeasuresTheInitialDistance) {
  const Scene scene = read(with_constraints(
      R"({"type": "distance", "bodies": ["world", "ball"], "points": [[0, 0, 3], [0, 4, 0]], "length": "initial"})"));
  Workspace ws(scene.system);
  const State state = scene.system.described_state();
  // √(1 + 16 + 9)
  const Vec3 moved(1, 4, -3);
  EXPECT_NEAR(moved.norm(), std::sqrt(26.0), 1e-15);
  EXPECT_LT(constraint_violation(scene.system, 0, state.q, state.qdot, ws).error, 1e-15);
}

TEST(ConstraintReader, TakesTheLastTwistRowInTheFrameItNames) {
  // The body is turned by a quarter about z: its x axis is the world's y.
  const auto speed = [](const char* frame) {
    const Scene scene = read(
        with_constraints(
            std::string(
                R"({"type": "prescribed-twist", "body": "ball", "rows": [{"part": "linear", "direction": [1, 0, 0], "frame": ")") +
            frame + R"(", "function": {"type": "constant", "value": 2}}]})"),
        {"bodies.ball.joint.q0=[0, 0, 0, 0, 0, 1.5707963267948966]"});
    const VecX qdot = scene.system.default_state().qdot;
    return Vec3(qdot.segment<3>(2));  // coordinates: h, s, then the ball's position
  };
  EXPECT_LT((speed("world") - Vec3(2, 0, 0)).norm(), 1e-12);
  EXPECT_LT((speed("body") - Vec3(0, 2, 0)).norm(), 1e-12);
}

TEST(ConstraintReader, ReadsProjectionAndStabilisation) {
  const Scene plain = read(with_constraints(""));
  EXPECT_TRUE(plain.settings.step.projection);
  EXPECT_EQ(plain.settings.step.baumgarte.implicit, 0);
  const Scene scene = read(with_constraints(""),
                           {"simulation.projection=false",
                            R"(simulation.baumgarte={"rate": 1, "position": 2, "implicit": 3})"});
  EXPECT_FALSE(scene.settings.step.projection);
  const Baumgarte& b = scene.settings.step.baumgarte;
  EXPECT_THAT((std::vector{b.rate, b.position, b.implicit}), ElementsAre(1, 2, 3));
}

TEST(ConstraintReader, StartsWhereTheFileSaysOnlyWithoutProjection) {
  const std::string text = with_constraints(
      R"({"type": "prescribed-coordinate", "name": "motor", "coordinate": "h_1",
          "function": {"type": "polynomial", "coefficients": [0.5, 2]}})");
  const Scene scene = read(text);
  StepOptions options;
  EXPECT_EQ(initial_state(scene.system, options).q[0], 0.5);
  EXPECT_EQ(initial_state(scene.system, options).qdot[0], 2);
  options.projection = false;
  EXPECT_EQ(initial_state(scene.system, options).q[0], 0);
  EXPECT_EQ(initial_state(scene.system, options).qdot[0], 0);
}

TEST(ConstraintReader, FindsConstraintsByNameInOverrides) {
  const Scene scene = read(
      with_constraints(
          R"({"type": "gear", "name": "g", "driver": "h_1", "driven": "s_1", "ratio": 1, "offset": 1})"),
      {"constraints.g.offset=3"});
  const VecX q = scene.system.default_state().q;
  EXPECT_NEAR(q[1] - q[0], 3, 1e-12);
}

TEST(ConstraintReader, SaysWhichConstraintIsRedundantAndCountsFreedoms) {
  const std::string gear =
      R"({"type": "gear", "name": "NAME", "driver": "h_1", "driven": "s_1", "ratio": 1, "offset": 1})";
  const auto named = [&](const std::string& name) {
    std::string text = gear;
    return text.replace(text.find("NAME"), 4, name);
  };
  const Scene scene = read(with_constraints(named("first") + ", " + named("second")));
  ASSERT_EQ(scene.system.redundancies().size(), 1u);
  EXPECT_THAT(scene.system.redundancies()[0], HasSubstr("constraint 'second': 1 of its 1 rows"));
  EXPECT_EQ(scene.system.independent_rows(), 1);
}

TEST(ConstraintReader, RefusesMoreThanDenseMatricesBear) {
  std::string list;
  for (int k = 0; k < 167; ++k)
    list +=
        (k == 0 ? "" : ", ") +
        std::string(
            R"({"type": "weld", "bodies": ["slider", "ball"], "placements": [[0, 0, 0], [0, 0, 0]]})");
  EXPECT_THAT(error_of(with_constraints(list)),
              HasSubstr("constraint 'constraint-167': there are too many constraints"));
}

TEST(ConstraintReader, StartsThatLeadNowhereGiveWayToOthers) {
  // A straight arm whose tip shall be nearer: no turn of its hinges begins to shorten it.
  const Scene scene = read(R"({"sinew_scene": 1, "gravity": [0, 0, 0], "bodies": [
      {"name": "cart", "parent": "world", "joint": {"name": "x", "type": "prismatic", "axis": [0, 0, 1], "q0": 0.4},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "upper", "parent": "world", "joint": {"name": "a", "type": "revolute", "axis": [0, 0, 1]},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "lower", "parent": "upper",
       "joint": {"name": "b", "type": "revolute", "axis": [0, 0, 1], "placement": [0, -1, 0]},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
    "constraints": [{"type": "ball", "name": "tip", "bodies": ["world", "lower"],
                     "points": [[0, -1, 0], [0, -1, 0]]}]})");
  const VecX q = scene.system.default_state().q;
  EXPECT_NEAR(std::abs(q[2]), 2 * std::numbers::pi / 3, 1e-9);  // an equilateral triangle
  EXPECT_EQ(q[0], 0.4);                                         // unconstrained: unchanged
}

}  // namespace constraint_reader_test
}  // namespace sinew
