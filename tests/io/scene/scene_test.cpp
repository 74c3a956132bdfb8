#include "sinew/io/scene/scene.hpp"

#include <gmock/gmock.h>

#include "io/scene_text.hpp"
#include "sinew/core/error.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace scene_test {

using testing::ElementsAre;
using testing::HasSubstr;

Scene read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "test.json", test::source_dir() + "/tests/io", overrides);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    read(text, overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A scene of one body with this joint and nothing else.
std::string with_joint(const std::string& joint) {
  return R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world", "joint": )" + joint +
         R"(, "inertia": {"mass": 1, "moments": [1, 1, 1]}}]})";
}

VecX accelerations(const Scene& scene) {
  const State state = scene.system.default_state();
  Workspace ws(scene.system);
  VecX qddot(state.q.size());
  forward_dynamics(scene.system, state, ws, qddot);
  return qddot;
}

Energy energy_of(const Scene& scene) {
  const State state = scene.system.default_state();
  Workspace ws(scene.system);
  return energy(scene.system, state, ws);
}

TEST(Scene, ReadsEveryTypeOfJoint) {
  const std::pair<const char*, int> joints[] = {
      {R"({"type": "revolute", "axis": [0, 1, 0]})", 1},
      {R"({"type": "prismatic", "axis": [1, 1, 0]})", 1},
      {R"({"type": "planar"})", 2},
      {R"({"type": "translational"})", 3},
      {R"({"type": "universal"})", 2},
      {R"({"type": "spherical"})", 3},
      {R"({"type": "spherical-euler", "order": "zxz", "q0": [0, 1, 0]})", 3},
      {R"({"type": "helical", "axis": [0, 0, 1], "pitch": 0.01})", 1},
      {R"({"type": "elliptic", "semi_axes": [2, 1]})", 1},
      {R"({"type": "free-2d"})", 3},
      {R"({"type": "free-3d", "order": "rotation-first"})", 6},
      {R"({"type": "composite", "parts": [{"type": "planar"},
           {"type": "composite", "parts": [{"type": "universal"}, {"type": "fixed"}]}]})",
       4},
      {R"({"type": "spline-curve", "frames": [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]]})", 1},
      {R"({"type": "spline-surface", "x": [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]],
           "y": [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]})",
       2},
      {R"({"type": "spline-surface", "x": [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]],
           "y": [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]], "q0": [0.2, 0.3],
           "stiffness": 2, "stops": {"upper": [1, 1], "stiffness": 3},
           "changes": [{"function": {"type": "sine", "amplitude": 0.1, "frequency": 3},
                        "z": [[1, 1, 1, 1], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1]]}]})",
       2},
      {R"({"type": "function", "kinds": ["angle"], "rotations": [
           {"axis": [0, 0, 1], "function": {"type": "linear", "coefficients": [1]}, "arguments": [1]}]})",
       1}};
  for (const auto& [joint, dof] : joints) {
    const Scene scene = read(with_joint(joint));
    EXPECT_EQ(scene.system.dof_count(), dof) << joint;
    EXPECT_THAT(joint,
                HasSubstr("\"" + scene.system.skeleton().bodies()[0].joint.type_name() + "\""));
  }
}

TEST(Scene, PlacesAndOrientsInThreeWays) {
  const auto pose = [](const std::string& placement) {
    return read(
               R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world", "joint": {"type": "planar"},
        "inertia": {"mass": 1, "moments": [1, 1, 1]}, "placement": )" +
               placement + "}]}")
        .system.skeleton()
        .bodies()[0]
        .E_JB;
  };
  const Pose matrix =
      pose(R"({"position": [1, 2, 3], "rotation": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]})");
  const Pose axis = pose(
      R"({"position": [1, 2, 3], "rotation": {"axis": [2, 2, 2], "angle": 2.0943951023931953}})");
  const Pose euler = pose(
      R"({"position": [1, 2, 3], "rotation": {"euler": "xyz", "angles": [1.5707963267948966, 1.5707963267948966, 0]}})");
  Mat3 R;
  R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  // Rounding of π and of a product of three rotations.
  EXPECT_LT((matrix.R - R).norm(), 1e-15);
  EXPECT_LT((axis.R - R).norm(), 1e-14);
  EXPECT_LT((euler.R - R).norm(), 1e-14);
  EXPECT_EQ(pose("[4, 5, 6]").p, Vec3(4, 5, 6));
  // Six typed digits are repaired to a rotation.
  const Mat3 typed =
      pose(R"({"rotation": [[0.866025, -0.5, 0], [0.5, 0.866025, 0], [0, 0, 1]]})").R;
  EXPECT_LT((typed.transpose() * typed - Mat3::Identity()).norm(), 1e-15);
}

/// A body or force for every dimension there is; {value unit} becomes a number.
const char* const kDimensions = R"({
  "sinew_scene": 1, "units": "UNITS", "gravity": [0, {-9.81 m}, {1 m}],
  "bodies": [
    {"name": "slider", "parent": "world",
     "joint": {"name": "slider", "type": "prismatic", "axis": [1, 0, 0], "q0": {0.1 m}, "qdot0": {0.2 m},
               "stiffness": {30 kg}, "damping": {0.5 kg}, "rest": {0.05 m}, "placement": [{0.3 m}, 0, 0],
               "stops": {"upper": {0.06 m}, "stiffness": {70 kg}, "damping": {2 kg}}},
     "shapes": [{"type": "cuboid", "sides": [{0.1 m}, {0.2 m}, {0.3 m}], "density": {900 kg/m3}},
                {"type": "mesh", "file": "meshes/tetrahedron.obj", "scale": {0.1 m}, "density": {500 kg/m3}}]},
    {"name": "hinge", "parent": "slider",
     "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 1], "q0": 0.3, "qdot0": 1,
               "stiffness": {2 kgm2}, "damping": {0.1 kgm2}, "rest": -0.2,
               "stops": {"lower": 0.5, "stiffness": {3 kgm2}, "damping": {0.2 kgm2}}},
     "placement": [{0.1 m}, 0, 0],
     "inertia": {"mass": {2 kg}, "com": [{0.01 m}, 0, 0],
                 "moments": [{0.01 kgm2}, {0.02 kgm2}, {0.02 kgm2}, 0, {0.001 kgm2}, 0]},
     "damping": {"angular": {0.3 kgm2}, "linear": {0.4 kg}}},
    {"name": "screw", "parent": "hinge",
     "joint": {"type": "helical", "axis": [0, 0, 1], "pitch": {0.02 m}, "qdot0": 2},
     "shapes": [{"type": "cylinder", "radius": {0.05 m}, "height": {0.1 m}, "density": {700 kg/m3}}]},
    {"name": "ellipse", "parent": "screw",
     "joint": {"type": "elliptic", "semi_axes": [{0.3 m}, {0.2 m}], "q0": 0.4},
     "shapes": [{"type": "ellipsoid", "radii": [{0.05 m}, {0.06 m}, {0.07 m}], "density": {700 kg/m3}}]},
    {"name": "curve", "parent": "world",
     "joint": {"type": "spline-curve", "knots": "natural", "characteristic_length": {0.1 m}, "q0": {0.05 m},
               "frames": [[0, 0, 0], [{0.1 m}, 0, 0], [{0.2 m}, {0.1 m}, 0], [{0.3 m}, {0.1 m}, {0.1 m}]]},
     "shapes": [{"type": "sphere", "radius": {0.1 m}, "density": {700 kg/m3}}]},
    {"name": "sheet", "parent": "curve",
     "joint": {"type": "spline-surface", "q0": [0.3, 0.4],
               "x": [[0, {0.1 m}, {0.2 m}, {0.3 m}], [0, {0.1 m}, {0.2 m}, {0.3 m}],
                     [0, {0.1 m}, {0.2 m}, {0.3 m}], [0, {0.1 m}, {0.2 m}, {0.3 m}]],
               "ry": [[0, 0, 0, 0], [0.1, 0.1, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3], [0.9, 0.9, 0.9, 0.9]]},
     "shapes": [{"type": "capsule", "radius": {0.1 m}, "height": {0.1 m}, "density": {700 kg/m3}}]},
    {"name": "function", "parent": "sheet",
     "joint": {"type": "function", "kinds": ["length", "angle"], "q0": [{0.1 m}, 0.2],
       "rotations": [{"axis": [1, 0, 0], "arguments": [1], "function":
                       {"type": "polynomial", "coefficients": [0.1, {2 1/m}, {3 1/m2}]}},
                     {"axis": [0, 1, 0], "arguments": [2, 1], "function":
                       {"type": "linear", "coefficients": [1, {2 1/m}], "offset": 0.1}}],
       "translations": [{"axis": [1, 0, 0], "arguments": [1], "function":
                          {"type": "sine", "amplitude": {0.2 m}, "frequency": {3 1/m}, "offset": {0.1 m}}},
                        {"axis": [0, 1, 0], "arguments": [1], "function":
                          {"type": "spline", "x": [0, {0.1 m}, {0.3 m}], "y": [0, {0.2 m}, {0.1 m}]}},
                        {"axis": [0, 0, 1], "function": {"type": "constant", "value": {0.1 m}}}]},
     "shapes": [{"type": "sphere", "radius": {0.1 m}, "density": {700 kg/m3}}]}
  ],
  "forces": [
    {"type": "torque", "coordinate": "hinge_1", "value": {0.3 kgm2}},
    {"type": "torque", "coordinate": "slider_1", "table": {"times": [0, 1], "values": [{0.3 kgm}, {0.4 kgm}]}},
    {"type": "world-force", "body": "screw", "point": [{0.1 m}, 0, 0], "value": [{1 kgm}, {2 kgm}, 0]},
    {"type": "spring", "bodies": ["world", "ellipse"], "points": [[0, {1 m}, 0], [0, 0, {0.1 m}]],
     "stiffness": {20 kg}, "damping": {0.2 kg}, "rest_length": {0.4 m}},
    {"type": "cable", "bodies": ["world", "curve", "ellipse"], "points": [[0, {1 m}, 0], [0, 0, {0.1 m}], [{0.1 m}, 0, 0]],
     "stiffness": {20 kgm}, "damping": {0.5 kgm}, "rest_length": {0.4 m}},
    {"type": "ground-contact", "body": "screw", "point": [0, {0.4 m}, 0], "normal": [0.1, 1, 0],
     "shapes": [{"type": "sphere", "radius": {0.1 m}, "placement": [{0.1 m}, 0, 0]}],
     "stiffness": {300 kg}, "dissipation": {0.1 1/m}, "creep_velocity": {0.3 m}},
    {"type": "ground-contact", "body": "curve", "point": [0, {0.1 m}, 0],
     "stiffness": {300 kg}, "onset": {0.2 m}}
  ]
})";

TEST(Scene, MeansTheSameInEitherSystemOfUnits) {
  const Scene si = read(test::in_units(kDimensions, "si", 1, 1));
  const Scene cgs = read(test::in_units(kDimensions, "cgs", 100, 1000));
  const VecX a = accelerations(si), b = accelerations(cgs);
  ASSERT_EQ(a.size(), 9);
  // A few roundings in every number, amplified by the mass matrix's condition of about 1e3.
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11 * a.cwiseAbs().maxCoeff());
  const Energy e = energy_of(si), f = energy_of(cgs);
  EXPECT_NEAR(e.kinetic, f.kinetic, 1e-13 * e.kinetic);
  EXPECT_NEAR(e.gravity, f.gravity, 1e-13 * std::abs(e.gravity));
  EXPECT_NEAR(e.elastic, f.elastic, 1e-13 * e.elastic);
  EXPECT_GT(e.elastic, 0.1);
}

TEST(Scene, TouchesTheGroundWithTheBodysShapesOrThoseOfTheForce) {
  const auto stored = [](const std::string& force) {
    return energy_of(read(R"({"sinew_scene": 1, "bodies": [
        {"name": "b", "parent": "world", "joint": {"type": "free-3d", "q0": [0, 0.2, 0, 0, 0, 0]},
         "shapes": [{"type": "cuboid", "sides": [1, 1, 1], "density": 1},
                    {"type": "sphere", "radius": 0.3, "placement": [2, 0, 0]}]}],
      "forces": [{"type": "ground-contact", "body": "b", )" +
                          force + "}]}"))
        .elastic;
  };
  // Beyond the onset d the energy is k ((δ − d/2)²/2 + d²/72); four corners at 0.3 m, a ball at
  // 0.1.
  const double d = 0.001;
  const auto V = [&](double depth) { return std::pow(depth - d / 2, 2) / 2 + d * d / 72; };
  EXPECT_NEAR(stored(R"("stiffness": 10)"), 10 * (4 * V(0.3) + V(0.1)), 1e-13);
  EXPECT_NEAR(stored(R"("stiffness": 10, "shapes": [{"type": "sphere", "radius": 0.4}])"),
              10 * V(0.2), 1e-14);
  EXPECT_EQ(stored(R"("point": [0, -0.4, 0])"), 0);
}

TEST(Scene, TolerancesAreInTheUnitsOfTheFile) {
  const auto step = [](const std::string& units) {
    return read(R"({"sinew_scene": 1, "units": ")" + units + R"(",
      "bodies": [{"name": "b", "parent": "world",
                  "joint": {"name": "j", "type": "prismatic", "axis": [0, 0, 1]},
                  "shapes": [{"type": "cuboid", "sides": [10, 10, 10], "density": 1}]}],
      "simulation": {"absolute_tolerance": 1e-6, "newton_residual": 1e-3}})")
        .settings.step;
  };
  EXPECT_DOUBLE_EQ(step("si").absolute_tolerance, 1e-6);
  EXPECT_DOUBLE_EQ(step("cgs").absolute_tolerance, 1e-8);  // cm
  EXPECT_DOUBLE_EQ(step("si").newton_residual, 1e-3);
  EXPECT_DOUBLE_EQ(step("cgs").newton_residual, 1e-10);  // g cm²
}

TEST(Scene, ConvertsWhatAHandCanCheck) {
  const Scene scene = read(R"({"sinew_scene": 1, "units": "cgs", "gravity": [0, 0, -981],
    "bodies": [{"name": "b", "parent": "world",
                "joint": {"name": "j", "type": "prismatic", "axis": [0, 0, 1], "stiffness": 1000, "q0": 10, "rest": 0},
                "shapes": [{"type": "cuboid", "sides": [10, 10, 10], "density": 1}]}]})");
  const Energy e = energy_of(scene);
  // 1 kg at 0.1 m on a spring of 1 N/m: ½·1·0.01 J and 9.81·0.1 J.
  EXPECT_NEAR(e.elastic, 0.005, 1e-15);
  EXPECT_NEAR(e.gravity, 0.981, 1e-14);
  EXPECT_NEAR(accelerations(scene)[0], -9.81 - 0.1, 1e-13);
}

TEST(Scene, RestsItsJointSpringsWhereTheyStart) {
  const Scene scene = read(with_joint(R"({"type": "planar", "q0": [1, 2], "stiffness": 3})"));
  EXPECT_EQ(energy_of(scene).elastic, 0);
  EXPECT_EQ(scene.system.forces().size(), 2u);
}

TEST(Scene, MeasuresTheInitialLengthOfASpring) {
  const std::string spring = R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world",
      "joint": {"type": "prismatic", "axis": [1, 0, 0], "q0": 3},
      "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
      "forces": [{"type": "spring", "bodies": ["world", "b"], "points": [[0, 4, 0], [0, 0, 0]],
                  "stiffness": 2, "rest_length": REST}]})";
  const auto with_rest = [&](const std::string& rest) {
    std::string text = spring;
    return read(text.replace(text.find("REST"), 4, rest));
  };
  EXPECT_EQ(energy_of(with_rest("\"initial\"")).elastic, 0);
  EXPECT_NEAR(energy_of(with_rest("0")).elastic, 0.5 * 2 * 25, 1e-13);
}

TEST(Scene, StopsTheCoordinatesThatHaveAStiffness) {
  const auto stored = [](const std::string& stops) {
    return energy_of(
               read(with_joint(R"({"type": "planar", "q0": [1, -2], "stops": )" + stops + "}")))
        .elastic;
  };
  EXPECT_DOUBLE_EQ(stored(R"({"lower": -1, "upper": 0.5, "stiffness": 8})"), 4 * (0.25 + 1));
  EXPECT_DOUBLE_EQ(stored(R"({"lower": [-1, -1.5], "stiffness": [8, 16]})"), 8 * 0.25);
  EXPECT_DOUBLE_EQ(stored(R"({"lower": -1, "upper": 0.5, "stiffness": [8, 0]})"), 4 * 0.25);
  EXPECT_EQ(read(with_joint(R"({"type": "planar", "stops": {"lower": 0, "stiffness": [0, 1]}})"))
                .system.forces()
                .size(),
            1u);
}

TEST(Scene, MeasuresTheInitialLengthOfACable) {
  const std::string cable = R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world",
      "joint": {"type": "prismatic", "axis": [1, 0, 0], "q0": 3},
      "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
      "forces": [{"type": "cable", "bodies": ["world", "b", "world"],
                  "points": [[0, 4, 0], [0, 0, 0], [0, 0, 0]], "stiffness": 2KEYS}]})";
  const auto with_keys = [&](const std::string& keys) {
    std::string text = cable;
    return energy_of(read(text.replace(text.find("KEYS"), 4, keys))).elastic;
  };
  // 5 m to the body, 3 m back.
  EXPECT_EQ(with_keys(""), 0);
  EXPECT_EQ(with_keys(R"(, "rest_length": "initial")"), 0);
  EXPECT_DOUBLE_EQ(with_keys(R"(, "rest_length": 6)"), 2 * 4 / 12.0);
  EXPECT_EQ(with_keys(R"(, "rest_length": 10)"), 0) << "slack";
  EXPECT_DOUBLE_EQ(with_keys(R"(, "rest_length": 10, "slack": false)"), 2 * 4 / 20.0);
}

TEST(Scene, RefusesCablesThroughTooManyPoints) {
  std::string bodies = "\"b\"", points = "[0, 0, 0]";
  for (int i = 0; i < 500; ++i) {
    bodies += ", \"world\"";
    points += ", [0, 0, 1]";
  }
  const std::string scene = R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world",
      "joint": {"type": "planar"}, "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
      "forces": [{"type": "cable", "stiffness": 1, "bodies": [)" +
                            bodies + R"(], "points": [)" + points + "]}]}";
  EXPECT_THAT(error_of(scene), HasSubstr("the scene is too large"));
}

TEST(Scene, StepsATableInTime) {
  const Scene scene =
      read(R"({"sinew_scene": 1, "gravity": [0, 0, 0], "bodies": [{"name": "b", "parent": "world",
      "joint": {"name": "j", "type": "prismatic", "axis": [1, 0, 0]}, "inertia": {"mass": 2, "moments": [1, 1, 1]}}],
      "forces": [{"type": "torque", "coordinate": "j_1", "table": {"times": [0, 3], "values": [4, -6]}}]})");
  Workspace ws(scene.system);
  const State state = scene.system.default_state();
  VecX qddot(1);
  forward_dynamics(scene.system, {2.9, state.q, state.qdot}, ws, qddot);
  EXPECT_EQ(qddot[0], 2);
  forward_dynamics(scene.system, {3.0, state.q, state.qdot}, ws, qddot);
  EXPECT_EQ(qddot[0], -3);
  EXPECT_THAT(scene.system.breakpoints(), ElementsAre(0, 3));
}

TEST(Scene, ChainsASeriesOfBodies) {
  const Scene scene = read(R"({"sinew_scene": 1, "bodies": [
      {"name": "hub", "parent": "world", "joint": {"type": "fixed"}, "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "link{}", "count": 3, "parent": "hub",
       "joint": {"name": "pin{}", "type": "revolute", "axis": [0, 0, 1], "coordinates": ["angle{}"], "q0": 0.5,
                 "damping": 1, "placement": [1, 0, 0]},
       "inertia": {"mass": 1, "moments": [1, 1, 1]}},
      {"name": "tip", "parent": "link3", "joint": {"type": "fixed"}, "inertia": {"mass": 1, "moments": [1, 1, 1]}}]})");
  const Skeleton& skeleton = scene.system.skeleton();
  std::vector<std::string> names, parents, coordinates;
  for (const Body& body : skeleton.bodies()) {
    names.push_back(body.name);
    parents.push_back(body.parent == kWorld ? "world" : skeleton.body(body.parent).name);
  }
  for (const Coordinate& c : skeleton.coordinates()) coordinates.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("hub", "link1", "link2", "link3", "tip"));
  EXPECT_THAT(parents, ElementsAre("world", "hub", "link1", "link2", "link3"));
  EXPECT_THAT(coordinates, ElementsAre("angle1", "angle2", "angle3"));
  EXPECT_EQ(scene.system.forces().size(), 3u);
  EXPECT_EQ(scene.shapes.size(), 5u);
}

TEST(Scene, RefusesToGrowBeyondMeasure) {
  const auto series = [](int count) {
    return R"({"sinew_scene": 1, "curves": [{"name": "c", "frames": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}],
      "bodies": [{"name": "b{}", "count": )" +
           std::to_string(count) +
           R"(, "parent": "world", "joint": {"type": "spline-curve", "frames": "c"},
      "inertia": {"mass": 1, "moments": [1, 1, 1]}}]})";
  };
  EXPECT_EQ(read(series(100)).system.dof_count(), 100);
  // Too many in one entry, and too many in two.
  EXPECT_THAT(error_of(series(100001)), HasSubstr("'count' is out of range"));
  std::string twice = series(60000);
  const size_t body = twice.find("{\"name\": \"b{}\""), end = twice.rfind("]}");
  std::string other = twice.substr(body, end - body);
  other.replace(other.find("b{}"), 3, "c{}");
  EXPECT_THAT(error_of(twice.insert(end, ", " + other)), HasSubstr("the scene is too large"));
}

TEST(Scene, NamesJointsAndCoordinatesWhereTheFileDoesNot) {
  const Scene scene = read(with_joint(R"({"type": "planar"})"));
  EXPECT_EQ(scene.system.skeleton().bodies()[0].joint_name, "b_joint");
  EXPECT_EQ(scene.system.skeleton().coordinates()[1].name, "b_joint_2");
}

TEST(Scene, ReadsTheSettingsOfTheSimulation) {
  const SimulationSettings s =
      read(R"({"sinew_scene": 1, "bodies": [{"name": "b", "parent": "world",
      "joint": {"type": "planar"}, "inertia": {"mass": 1, "moments": [1, 1, 1]}}],
      "simulation": {"integrator": "dopri5", "dt": 0.5, "until": 7, "output_interval": 0.25, "jacobian": "reference",
        "relative_tolerance": 1e-3, "absolute_tolerance": 1e-4, "largest_step": 2, "least_step": 0.5,
        "ode45_rules": true,
        "newton_tolerance": 1e-5, "newton_iterations": 6, "accuracy": 1e-3, "audit_every": 4}})")
          .settings;
  EXPECT_EQ(s.step.integrator, Integrator::dopri5);
  EXPECT_EQ(s.step.jacobian, StiffnessModel::redmax);
  EXPECT_THAT(
      (std::vector{s.dt, s.until, s.output_interval, s.step.relative_tolerance,
                   s.step.absolute_tolerance, s.step.largest_step, s.step.newton_tolerance}),
      ElementsAre(0.5, 7, 0.25, 1e-3, 1e-4, 2, 1e-5));
  EXPECT_TRUE(s.step.ode45_rules);
  EXPECT_EQ(s.step.newton_iterations, 6);
  EXPECT_EQ(s.step.accuracy, 1e-3);
  EXPECT_EQ(s.step.least_step, 0.5);
  EXPECT_EQ(s.audit_every, 4);
}

TEST(Scene, AppliesOverridesBeforeItChecks) {
  const std::string text = with_joint(R"({"name": "j", "type": "revolute", "axis": [0, 0, 1]})");
  const Scene scene =
      read(text, {"bodies.b.joint.q0=[0.3]", "simulation.integrator=rk4", "gravity=[0, 0, 0]"});
  EXPECT_EQ(scene.system.skeleton().coordinates()[0].q0, 0.3);
  EXPECT_EQ(scene.settings.step.integrator, Integrator::rk4);
  EXPECT_EQ(scene.system.gravity(), Vec3::Zero());
  EXPECT_THAT(error_of(text, {"bodies.b.joint.q=1"}),
              HasSubstr("--set bodies.b.joint.q=1: joint 'j': unknown key 'q'"));
  EXPECT_THAT(error_of(text, {"gravity=3"}),
              HasSubstr("--set gravity=3: scene: 'gravity' is a number"));
}

TEST(Scene, HashesItsText) {
  const std::string text = with_joint(R"({"type": "planar"})");
  EXPECT_EQ(read(text).content_hash, read(text).content_hash);
  EXPECT_NE(read(text).content_hash, read(text + " ").content_hash);
}

TEST(Scene, SaysWhichFileIsMissing) {
  EXPECT_THAT([] { load_scene("no/such/file.json"); },
              testing::ThrowsMessage<Error>(HasSubstr("no/such/file.json: is not a file")));
}

}  // namespace scene_test
}  // namespace sinew
