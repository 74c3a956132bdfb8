#include "sinew/io/scene/muscle_reader.hpp"

#include <gmock/gmock.h>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace muscle_reader_test {

using testing::HasSubstr;

/// An arm of two bones with hinges "a_1" and "b_1", and a slider "s_1"; with more keys.
std::string with(const std::string& keys, const std::string& units = "si") {
  return R"({"sinew_scene": 1, "units": ")" + units + R"(", "bodies": [
  {"name": "upper", "parent": "world", "joint": {"name": "a", "type": "revolute", "axis": [0, 0, 1], "q0": 0.3},
   "inertia": {"mass": 2, "com": [0, -1, 0], "moments": [1, 1, 1]}},
  {"name": "lower", "parent": "upper", "joint": {"name": "b", "type": "revolute", "axis": [0, 0, 1], "placement": [0, -2, 0]},
   "inertia": {"mass": 1, "com": [0, -1, 0], "moments": [1, 1, 1]}},
  {"name": "cart", "parent": "world", "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0]},
   "inertia": {"mass": 1, "moments": [1, 1, 1]}}
  ],
  )" + keys +
         "}";
}

Scene read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "test.json", "", overrides);
}

std::string muscles(const std::string& list, const std::string& options = "") {
  return with(R"("muscles": {)" + options + R"("list": [)" + list + "]}");
}
constexpr const char* kTwoPoints =
    R"("path": [{"body": "world", "position": [1, 0, 0]}, {"body": "lower", "position": [0, -1, 0]}])";
std::string muscle(const std::string& keys, const std::string& name = "m") {
  return R"({"name": ")" + name + R"(", )" + kTwoPoints + (keys.empty() ? "" : ", " + keys) + "}";
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const Muscle& only(const Scene& scene) { return scene.system.muscles().at(0)->muscle(); }

TEST(MuscleReader, ReadsMassTensionAndHowTheyAreSpread) {
  const Scene scene = read(muscles(muscle(
      R"("mass": 0.4, "mass_model": "points", "points": 7, "at_ends": true, "belly": [0.1, 0.6],
         "profile": "parabolic", "gravity": false, "velocity_terms": false,
         "tension": {"type": "sine", "amplitude": 3, "offset": 5})")));
  const Muscle& m = only(scene);
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.mass, 0.4);
  EXPECT_EQ(m.mass_model, MassModel::points);
  EXPECT_EQ(m.lumps, 7);
  EXPECT_TRUE(m.lumps_at_ends);
  EXPECT_EQ(m.material.A1, 0.1);
  EXPECT_EQ(m.material.B1, 0.5);
  EXPECT_FALSE(m.gravity);
  EXPECT_FALSE(m.velocity_terms);
  EXPECT_EQ(m.tension.derivatives(0)[0], 5);
  EXPECT_EQ(m.tension.derivatives(0)[1], 3);
  ASSERT_EQ(m.regions.size(), 1u);
  EXPECT_DOUBLE_EQ(m.regions[0].density(0.5), 0.4 * 1.5);  // 6 β (1 − β) m
}

TEST(MuscleReader, ReadsUnits) {
  const std::string keys =
      R"("muscles": {"list": [{"name": "m", "mass": 500, "tendons": [1, 2], "tension": 1e5,
      "path": [{"body": "world", "position": [10, 0, 0]},
               {"around": {"type": "cylinder", "radius": 3, "half_length": 40}, "body": "upper", "placement": [0, 5, 0]},
               {"body": "cart", "position": [1, 2, 3], "moving": {"y": {"coordinate": "s_1", "function":
                 {"type": "linear", "coefficients": [0.5], "offset": 7}}}},
               {"body": "lower"}]}]})";
  const Scene scene = read(with(keys, "cgs"));
  const Muscle& m = only(scene);
  EXPECT_DOUBLE_EQ(m.mass, 0.5);
  EXPECT_DOUBLE_EQ(m.tension.derivatives(0)[0], 1);
  EXPECT_DOUBLE_EQ(m.material.A0, 0.01);
  EXPECT_DOUBLE_EQ(m.material.B0, -0.03);
  EXPECT_EQ(m.points[0].terms[0].x_B, Vec3(0.1, 0, 0));
  const auto& cylinder = std::get<CylinderWrap>(m.spans[0].wrap);
  EXPECT_DOUBLE_EQ(cylinder.radius, 0.03);
  EXPECT_DOUBLE_EQ(cylinder.half_length, 0.4);
  EXPECT_EQ(m.spans[0].E_BS.p, Vec3(0, 0.05, 0));
  // y = 7 cm + 0.5 s, s in any unit of length.
  ASSERT_EQ(m.points[1].terms.size(), 2u);
  const std::array<double, 4> f = evaluate(m.points[1].terms[1].weights[0].function, 0.02);
  EXPECT_DOUBLE_EQ(f[0], 0.08);
  EXPECT_DOUBLE_EQ(f[1], 0.5);
}

TEST(MuscleReader, LetsMusclesOverruleTheScene) {
  const Scene scene =
      read(muscles(muscle(R"("mass": 1)", "a") + "," +
                       muscle(R"("mass": 1, "mass_model": "continuous",
              "velocity_terms": true, "tendons": [0.1, 0])",
                              "b"),
                   R"("mass_model": "points", "velocity_terms": false, "belly": [0.2, 0.9], )"));
  const auto& list = scene.system.muscles();
  EXPECT_EQ(list[0]->muscle().mass_model, MassModel::points);
  EXPECT_EQ(list[1]->muscle().mass_model, MassModel::continuous);
  EXPECT_FALSE(list[0]->muscle().velocity_terms);
  EXPECT_TRUE(list[1]->muscle().velocity_terms);
  EXPECT_EQ(list[0]->muscle().material.A1, 0.2);
  EXPECT_EQ(list[1]->muscle().material.A0, 0.1);
}

TEST(MuscleReader, LetsTheCommandLineChangeAllMuscles) {
  const std::string around =
      R"({"name": "m", "mass": 1, "path": [{"body": "world", "position": [1, 0, 0]},
         {"around": {"type": "cylinder", "radius": 0.1}, "body": "upper"}, {"body": "lower"}]})";
  const Scene scene = read(muscles(around), {"muscles.wrap_model=exact", "muscles.band=0.1",
                                             "muscles.mass_model=points", "muscles.points=3"});
  const auto& cylinder = std::get<CylinderWrap>(only(scene).spans[0].wrap);
  EXPECT_EQ(cylinder.model, WrapKind::exact);
  EXPECT_EQ(cylinder.band, 0.1);
  EXPECT_EQ(only(scene).lumps, 3);
  EXPECT_EQ(std::get<CylinderWrap>(only(read(muscles(around))).spans[0].wrap).model,
            WrapKind::smooth);
  // Without mass nothing needs to be smooth.
  EXPECT_EQ(
      std::get<CylinderWrap>(only(read(muscles(around), {"muscles.list.m.mass=0"})).spans[0].wrap)
          .model,
      WrapKind::exact);
}

TEST(MuscleReader, ReadsEverySurface) {
  const auto wrap = [](const std::string& around) {
    const Scene scene = read(with(
        R"("muscles": {"list": [{"name": "m", "mass": 1, "path": [{"body": "world"}, {"around": )" +
            around + R"(, "body": "upper"}, {"body": "lower"}]}]})",
        "cgs"));
    return only(scene).spans[0].wrap;
  };
  const auto cylinder = std::get<CylinderWrap>(
      wrap(R"({"type": "cylinder", "radius": 3, "side": "clockwise", "band": 0.1})"));
  EXPECT_EQ(cylinder.side, WrapSide::clockwise);
  EXPECT_EQ(cylinder.band, 0.1);
  const auto sphere = std::get<SphereWrap>(
      wrap(R"({"type": "sphere", "radius": 3, "axis": [0, 2, 0], "model": "exact"})"));
  EXPECT_DOUBLE_EQ(sphere.radius, 0.03);
  EXPECT_EQ(sphere.axis, Vec3::UnitY());
  EXPECT_EQ(sphere.model, WrapKind::exact);
  const auto two = std::get<DoubleCylinderWrap>(
      wrap(R"({"type": "double-cylinder", "circles": [{"center": [1, 2], "radius": 1},
              {"center": [5, 2], "radius": 2, "side": "clockwise"}]})"));
  EXPECT_DOUBLE_EQ(two.circle[0].y, 0.02);
  EXPECT_DOUBLE_EQ(two.circle[1].radius, 0.02);
  EXPECT_EQ(two.circle[1].side, WrapSide::clockwise);
  const auto ellipsoid = std::get<EllipsoidWrap>(
      wrap(R"({"type": "ellipsoid", "semi_axes": [1, 2, 3], "side": [2, 0, 0]})"));
  EXPECT_DOUBLE_EQ(ellipsoid.semi_axes.z(), 0.03);
  EXPECT_EQ(ellipsoid.side, Vec3::UnitX());
  const auto torus =
      std::get<TorusWrap>(wrap(R"({"type": "torus", "radius": 5, "tube": 1, "side": "up-hole"})"));
  EXPECT_DOUBLE_EQ(torus.radius, 0.05);
  EXPECT_DOUBLE_EQ(torus.tube, 0.01);
  EXPECT_EQ(torus.side, TorusSide::up_hole);
  const auto capped = std::get<CappedCylinderWrap>(
      wrap(R"({"type": "capped-cylinder", "radius": 4, "side": [0, -3, 0]})"));
  EXPECT_DOUBLE_EQ(capped.radius, 0.04);
  EXPECT_EQ(capped.side, -Vec3::UnitY());
}

TEST(MuscleReader, ReadsTheNetworksThatComeWithTheProgram) {
  const std::string around =
      R"({"name": "m", "mass": 1, "path": [{"body": "world", "position": [1, 0, 0]},
         {"around": {"type": "TYPE", "radius": 0.1}, "body": "upper"}, {"body": "lower"}]})";
  const auto text = [&](const std::string& type) {
    std::string out = muscles(around);
    return out.replace(out.find("TYPE"), 4, type);
  };
  const std::string folder = test::source_dir() + "/scenes";
  const auto network = [&](const std::string& type, const std::vector<std::string>& set) {
    const Scene scene = parse_scene(text(type), "test.json", folder, set);
    return std::get<NeuralWrap>(only(scene).spans[0].wrap).network->name();
  };
  EXPECT_EQ(network("cylinder", {"muscles.wrap_model=neural"}), "cylinder-polyline");
  EXPECT_EQ(network("cylinder", {"muscles.wrap_model=neural", "muscles.network=cylinder-raw"}),
            "cylinder-raw");
  EXPECT_EQ(network("capped-cylinder", {"muscles.wrap_model=neural"}), "capped-cylinder-invariant");
  // From a scene anywhere, too.
  const Scene elsewhere =
      parse_scene(text("cylinder"), "test.json", "/nowhere", {"muscles.wrap_model=neural"});
  EXPECT_EQ(std::get<NeuralWrap>(only(elsewhere).spans[0].wrap).pieces, 16);
  const auto error = [&](const std::string& type, const std::vector<std::string>& set) {
    try {
      parse_scene(text(type), "test.json", folder, set);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(error("cylinder", {"muscles.wrap_model=neural", "muscles.network=mine"}),
              HasSubstr("muscle 'm': there is no network 'mine'"));
  EXPECT_THAT(error("sphere", {"muscles.wrap_model=neural"}),
              HasSubstr("there is no network for a surface of this type"));
}

TEST(MuscleReader, WrapsAroundMeshes) {
  const auto scene = [](const std::string& around) {
    const std::string text = muscles(
        R"({"name": "m", "mass": 1, "path": [{"body": "world", "position": [1, 0, 0]},
           {"around": )" +
        around + R"(, "body": "upper"}, {"body": "lower"}]})");
    return parse_scene(text, "test.json", test::source_dir() + "/scenes");
  };
  const Scene loaded = scene(
      R"({"type": "mesh", "file": "meshes/condyle.obj", "scale": 2, "size": 0.1, "side": [0, 3, 0]})");
  const auto& wrap = std::get<ImplicitWrap>(only(loaded).spans[0].wrap);
  EXPECT_EQ(wrap.side, Vec3::UnitY());
  LevelTaylor level;
  wrap.level->evaluate(Vec3(0, 0.25, 0), 1, level);
  EXPECT_NEAR(level.jet.value, 0.05, 1e-3);  // to the tip at y = 0.2 m; the edges are flat
  const auto error = [&](const std::string& around) {
    try {
      scene(around);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(error(R"({"type": "mesh", "file": "meshes/none.obj", "size": 0.1})"),
              HasSubstr("none.obj"));
  EXPECT_THAT(error(R"({"type": "mesh", "file": "meshes/condyle.obj", "size": 1e-5})"),
              HasSubstr("give a larger size"));
  EXPECT_THAT(error(R"({"type": "mesh", "file": "../passwords.obj", "size": 0.1})"),
              HasSubstr("leaves the scene's folder"));
}

TEST(MuscleReader, ReadsConditionalPointsByTheirPolicy) {
  const auto text = [](const std::string& mass, const std::string& policy) {
    return muscles(R"({"name": "m", "mass": )" + mass + R"(, "path": [{"body": "world"},
      {"body": "upper", "position": [0.5, -1, 0], "conditional": {"coordinate": "b_1", "range": [-0.5, 0.5])" +
                   policy + R"(}}, {"body": "lower"}]})");
  };
  const auto window = [](const Scene& scene) {
    return std::get<Window>(only(scene).points[1].terms[0].weights[0].function);
  };
  const Scene massive = read(text("1", ""));
  EXPECT_EQ(window(massive).band, 0.05);
  EXPECT_EQ(window(massive).lower, -0.5);
  EXPECT_EQ(only(massive).mass, 1);
  const Scene light = read(text("0", ""));
  EXPECT_EQ(window(light).band, 0);
  const Scene switching = read(text("1", R"(, "policy": "switch")"));
  EXPECT_EQ(window(switching).band, 0);
  EXPECT_EQ(only(switching).mass, 0);
  EXPECT_EQ(switching.muscle_masses[0].mass, 1);
  EXPECT_EQ(switching.muscle_masses[0].model, "massless");
  EXPECT_EQ(window(read(text("1", R"(, "band": 0.2)"))).band, 0.2);
  EXPECT_THAT(error_of(text("1", R"(, "policy": "error")")),
              HasSubstr("muscle 'm': has a conditional path point"));
  EXPECT_THAT(error_of(text("1", R"(, "band": 0.6)")), HasSubstr("wider than half its 'range'"));
}

TEST(MuscleReader, PutsAConditionalPointOnTheLineBetweenItsNeighboursWhereItIsOut) {
  const Scene scene = read(muscles(R"({"name": "m", "path": [{"body": "world"},
      {"body": "upper", "position": [0.5, -1, 0], "conditional": {"coordinate": "b_1", "range": [0.5, 1.5]}},
      {"body": "lower", "position": [0, -1, 0]}]})"));
  Workspace ws(scene.system);
  std::vector<MusclePath> paths;
  for (const double knee : {0.2, 1.0}) {
    const VecX q = Vec3(0.3, knee, 0), rest = VecX::Zero(3);
    update_muscle_paths(scene.system, {0, q, rest}, ws, paths);
    const double direct = (paths[0].nodes.back() - paths[0].nodes.front()).norm();
    if (knee < 0.5)
      EXPECT_NEAR(paths[0].length, direct, 1e-14);  // rounding
    else
      EXPECT_GT(paths[0].length, direct + 0.01);
  }
}

TEST(MuscleReader, LumpsAMuscleToItsOriginAsItLies) {
  // A muscle of 3 kg from (0, −1) to (0, −2.5) of the straight arm, frozen to the upper bone: a rod
  // of 1.5 m about its own middle at 1.75 m.
  const std::string list =
      R"({"name": "m", "mass": 3, "path": [{"body": "upper", "position": [0, -1, 0]},
         {"body": "lower", "position": [0, -0.5, 0]}]})";
  const Scene scene = read(muscles(list, R"("mass_model": "lumped", "lump_pose": "zero", )"));
  const Body& upper = scene.system.skeleton().bodies()[0];
  EXPECT_DOUBLE_EQ(upper.M_B.mass, 5);
  EXPECT_NEAR(upper.M_B.h.y(), -2 - 3 * 1.75, 1e-14);
  EXPECT_NEAR(upper.M_B.I(2, 2), (1 + 2) + 3 * (1.5 * 1.5 / 12 + 1.75 * 1.75), 1e-13);
  EXPECT_NEAR(upper.M_B.I(1, 1), 1, 1e-14);
  EXPECT_EQ(only(scene).mass, 0);
  EXPECT_FALSE(scene.system.has_massive_muscles());
  EXPECT_EQ(scene.muscle_masses[0].mass, 3);
}

TEST(MuscleReader, LumpsAMuscleToSeveralBodiesLikeTheirOwnMass) {
  const Scene scene = read(muscles(muscle(
      R"("mass": 3, "mass_model": "lumped", "lump_like": "body", "lump_to": ["upper", "lower", "world"])")));
  const auto& bodies = scene.system.skeleton().bodies();
  EXPECT_DOUBLE_EQ(bodies[0].M_B.mass, 3);
  EXPECT_DOUBLE_EQ(bodies[1].M_B.mass, 2);
  EXPECT_DOUBLE_EQ(bodies[1].M_B.I(2, 2), 4);
  EXPECT_DOUBLE_EQ(bodies[0].M_B.com().y(), -1);
}

TEST(MuscleReader, TakesMassFromBodiesWhereAsked) {
  const std::string along =
      R"({"name": "m", "mass": 0.5, "host": "upper", "path": [{"body": "upper", "position": [0, -0.5, 0]},
         {"body": "upper", "position": [0, -1.5, 0]}, {"body": "lower", "position": [0, -0.5, 0]}]})";
  const auto mass = [](const Scene& scene, size_t body) {
    return scene.system.skeleton().bodies()[body].M_B.mass;
  };
  const Scene added = read(muscles(along));
  EXPECT_EQ(mass(added, 0), 2);
  EXPECT_TRUE(added.mass_moves.empty());
  const Scene moments = read(muscles(along, R"("mass_from": "moments", "share": 0.5, )"));
  EXPECT_NEAR(mass(moments, 0), 2 - 0.25, 1e-14);
  EXPECT_DOUBLE_EQ(only(moments).mass, 0.25);
  ASSERT_EQ(moments.mass_moves.size(), 1u);
  EXPECT_NEAR(moments.mass_moves[0].mass, 0.25, 1e-14);
  const Scene scale = read(muscles(along, R"("mass_from": "scale", "share": 0.25, )"));
  EXPECT_NEAR(mass(scale, 0), 1.5, 1e-14);
  EXPECT_DOUBLE_EQ(only(scale).mass, 0.5);
  const Scene lumped = read(muscles(along, R"("mass_from": "moments", "mass_model": "lumped", )"));
  EXPECT_EQ(mass(lumped, 0), 2);
  EXPECT_EQ(only(lumped).mass, 0);
  EXPECT_THAT(error_of(muscles(muscle(R"("mass": 1)"), R"("mass_from": "scale", "share": 0.2, )")),
              HasSubstr("muscle 'm': has no 'host'"));
  EXPECT_THAT(error_of(muscles(muscle(R"("mass": 1)"), R"("share": 0.2, )")),
              HasSubstr("'share' without 'mass_from'"));
}

/// The keys of a scene are the options of the program.
TEST(MuscleReader, WeighsMusclesByTheRulesOfTheOptions) {
  const std::string hill =
      R"("hill": {"max_isometric_force": 600, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.1})";
  const auto mass = [](const Scene& scene) {
    double out = 0;
    for (const Body& body : scene.system.skeleton().bodies()) out += body.M_B.mass;
    return out;
  };
  const Scene strength = read(muscles(muscle(hill), R"("muscle_mass": "strength", )"));
  // F₀ l₀ ρ/σ, with ρ = 1059.7 kg/m³ and σ = 0.6 MPa.
  EXPECT_NEAR(only(strength).mass, 600 * 0.1 * 1059.7 / 0.6e6, 1e-12);
  EXPECT_NEAR(mass(strength), 4 - only(strength).mass, 1e-12);
  ASSERT_TRUE(strength.muscle_mass);
  EXPECT_NEAR(strength.muscle_mass->transfer.moved(), only(strength).mass, 1e-15);
  const Scene half = read(muscles(
      muscle(hill), R"("muscle_mass": "strength", "specific_tension": 1.2, "share": 0.5, )"));
  EXPECT_NEAR(only(half).mass, only(strength).mass / 4, 1e-12);
  const Scene segment = read(muscles(muscle(""), R"("segments": ["lower:0.2:m"], )"));
  EXPECT_NEAR(only(segment).mass, 0.2, 1e-12);
  EXPECT_EQ(only(read(muscles(muscle(hill), R"("muscle_mass": "off", )"))).mass, 0);
}

TEST(MuscleReader, NamesMistakesInRulesForMasses) {
  const auto wrong = [](const std::string& keys, const std::string& options) {
    return error_of(muscles(muscle(keys), options));
  };
  EXPECT_THAT(wrong("", R"("muscle_mass": "much", )"), HasSubstr("is not a source of masses"));
  EXPECT_THAT(wrong("", R"("muscle_mass": "strength", )"), HasSubstr("strengths"));
  EXPECT_THAT(wrong(R"("mass": 1)", R"("muscle_mass": "strength", )"), HasSubstr("has a 'mass'"));
  EXPECT_THAT(wrong("", R"("muscle_mass": "strength", "mass_from": "moments", )"),
              HasSubstr("both 'mass_from'"));
  EXPECT_THAT(wrong("", R"("height": 1.8, )"), HasSubstr("'height' without 'muscle_mass'"));
  EXPECT_THAT(wrong("", R"("segments": ["lower:0.2:n"], )"), HasSubstr("there is no muscle 'n'"));
}

TEST(MuscleReader, NamesWhatIsWrong) {
  EXPECT_THAT(error_of(muscles(muscle(R"("mas": 1)"))),
              HasSubstr("test.json:9: muscle 'm': unknown key 'mas'; did you mean 'mass'?"));
  EXPECT_THAT(error_of(muscles(muscle(""), R"("mass_mode": "points", )")),
              HasSubstr("unknown key 'mass_mode'; did you mean 'mass_model'?"));
  EXPECT_THAT(error_of(muscles(muscle(R"("mass_model": "point")"))),
              HasSubstr("did you mean 'points'?"));
  EXPECT_THAT(error_of(muscles(muscle(R"("mass": -1)"))), HasSubstr("'mass' is negative"));
  EXPECT_THAT(error_of(muscles(muscle(R"("belly": [0.5, 0.4])"))),
              HasSubstr("'belly' is not a part of the path"));
  EXPECT_THAT(error_of(muscles(muscle(R"("belly": [0, 1], "tendons": [0, 0])"))),
              HasSubstr("has both 'belly' and 'tendons'"));
  EXPECT_THAT(error_of(muscles(muscle(R"("tension": -2)"))), HasSubstr("'tension' is negative"));
  for (const char* interpolation : {"step", "linear", "cubic"})
    EXPECT_THAT(error_of(muscles(muscle(R"("tension": {"type": "table", "times": [0, 1, 2],
                    "values": [1, -5, 3], "interpolation": ")" +
                                        std::string(interpolation) + R"("})"))),
                HasSubstr("has a 'tension' of -5 N at t = 1 s"))
        << interpolation;
  EXPECT_THAT(error_of(muscles(muscle("") + "," + muscle(""))),
              HasSubstr("muscle 'm': is defined twice"));
  EXPECT_THAT(error_of(muscles(muscle(R"("profile": {"fractions": [0, 1], "densities": [1]})"))),
              HasSubstr("muscle 'm'"));
  EXPECT_THAT(error_of(muscles(muscle(R"("mass": 1, "mass_model": "lumped", "lump_to": "uper")"))),
              HasSubstr("did you mean 'upper'?"));
  EXPECT_THAT(error_of(muscles(R"({"path": []})")), HasSubstr("muscle: has no 'name'"));
}

TEST(MuscleReader, NamesWhatIsWrongWithAPath) {
  const auto path = [](const std::string& entries) {
    return muscles(R"({"name": "m", "mass": 1, "path": [)" + entries + "]}");
  };
  const std::string o = R"({"body": "world"})", i = R"({"body": "lower"})";
  const std::string around = R"({"around": {"type": "cylinder", "radius": 0.1}, "body": "upper"})";
  EXPECT_THAT(error_of(path(R"({"body": "uper"}, )" + i)), HasSubstr("did you mean 'upper'?"));
  EXPECT_THAT(error_of(path(o)), HasSubstr("does not begin and end with a point"));
  EXPECT_THAT(error_of(path(o + "," + around)), HasSubstr("does not begin and end with a point"));
  EXPECT_THAT(error_of(path(around + "," + i)), HasSubstr("begins with a surface"));
  EXPECT_THAT(error_of(path(o + "," + around + "," + around + "," + i)),
              HasSubstr("two surfaces follow each other"));
  EXPECT_THAT(error_of(path(o + R"(, {"around": {"type": "cilinder"}, "body": "upper"}, )" + i)),
              HasSubstr("did you mean 'cylinder'?"));
  EXPECT_THAT(error_of(path(
                  o + R"(, {"around": {"type": "cylinder", "radius": 0}, "body": "upper"}, )" + i)),
              HasSubstr("'radius' is not positive"));
  EXPECT_THAT(
      error_of(path(o + R"(, {"around": {"type": "cylinder", "radius": 1, "side": "nearest"},
                            "body": "upper"}, )" +
                    i)),
      HasSubstr("side 'nearest' jumps"));
  EXPECT_THAT(
      error_of(path(
          o + R"(, {"body": "upper", "conditional": {"coordinate": "c_1", "range": [0, 1]}}, )" +
          i)),
      HasSubstr("c_1"));
  EXPECT_THAT(
      error_of(path(
          o + R"(, {"body": "upper", "conditional": {"coordinate": "b_1", "range": [1, 0]}}, )" +
          i)),
      HasSubstr("'range' does not increase"));
  EXPECT_THAT(
      error_of(path(
          o + R"(, {"body": "lower", "conditional": {"coordinate": "b_1", "range": [0, 1]}})")),
      HasSubstr("one end of its path is conditional"));
  EXPECT_THAT(
      error_of(path(
          o + "," + around +
          R"(, {"body": "upper", "conditional": {"coordinate": "b_1", "range": [0, 1]}}, )" + i)),
      HasSubstr("beside a surface"));
  EXPECT_THAT(error_of(path(o + "," + o)), HasSubstr("muscle 'm': is fixed to the ground"));
}

}  // namespace muscle_reader_test
}  // namespace sinew
