#include "sinew/view/session.hpp"

#include <gmock/gmock.h>

#include <numbers>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/analysis/strand_tensions.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/system/projection.hpp"
#include "support/finite_difference.hpp"
#include "support/random_body.hpp"
#include "support/source_dir.hpp"

/// The simulation of the live viewer, without a server.

namespace sinew {
namespace view_session_test {

using nlohmann::json;
using testing::HasSubstr;

ViewSession view(const std::string& scene, const std::vector<std::string>& set = {}) {
  return ViewSession(
      load_view_model(test::source_dir() + "/scenes/" + scene + ".json", {.set = set}));
}

json set(const char* coordinate, double value) {
  return {{"do", "set"}, {"coordinate", coordinate}, {"value", value}};
}

std::string refusal(ViewSession& session, const json& command) {
  try {
    session.apply(command);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The model's time goes on by `seconds`, as fast as it can.
void let_run(ViewSession& session, double seconds) {
  session.apply({{"do", "run"}});
  for (double passed = 0; passed < seconds - 1e-9; passed += 0.02) session.advance(0.02, 1e9);
  session.apply({{"do", "pause"}});
}

double muscle_length(ViewSession& session) {
  Workspace ws(session.system());
  std::vector<MusclePath> paths;
  update_muscle_paths(session.system(), {0, session.state().q, session.state().qdot}, ws, paths);
  return paths.at(0).length;
}

TEST(ViewSession, SetsACoordinateAndMusclesFollow) {
  ViewSession session = view("wrap-pendulum");
  const double before = muscle_length(session);
  session.apply(set("elbow", -0.4));
  EXPECT_EQ(session.state().q[1], -0.4);
  EXPECT_EQ(session.state().qdot.norm(), 0);
  // By 1.1 rad, with a moment arm of 0.1 m or slightly more.
  EXPECT_NEAR(muscle_length(session) - before, 1.1 * 0.1, 0.02);
}

// The state of a frame has activations and fibres: steps with contacts need them.
TEST(ViewSession, ShowsHillMusclesWithContacts) {
  ViewSession session = view(
      "knee-spline", {"simulation.integrator=linearly-implicit-euler",
                      R"(contacts={"surfaces":[{"body":"world","plane":{}},{"body":"foot"}]})"});
  let_run(session, 0.04);
  EXPECT_NEAR(session.state().t, 0.04, 0.021);
  const json frame = session.frame();
  EXPECT_FALSE(frame.empty());
  EXPECT_TRUE(session.state().q.allFinite());
}

TEST(ViewSession, ClosesLoopsAroundACoordinateThatIsSet) {
  ViewSession session = view("four-bar");
  for (const double angle : {0.9, 2.0, 5.5, -3.0}) {
    session.apply(set("crank_angle", angle));
    // Except for the projection at its end.
    EXPECT_NEAR(session.state().q[0], angle, 1e-10);
    Workspace ws(session.system());
    const State& state = session.state();
    // The projection's tolerance.
    EXPECT_LT(constraint_violation(session.system(), 0, state.q, state.qdot, ws).error, 1e-11);
  }
}

TEST(ViewSession, LeavesEverythingAsItIsWhereAValueCannotBeHad) {
  ViewSession session = view("four-bar");
  const State before = session.state();
  // The rocker swings; it does not turn around.
  EXPECT_THAT(refusal(session, set("rocker_angle", -1.5)),
              HasSubstr("coordinate 'rocker_angle': cannot be -1.5: constraints do not allow it"));
  EXPECT_EQ(session.state(), before);
}

TEST(ViewSession, MomentArmsAreTheSlopeOfTheLength) {
  ViewSession session = view("wrap-pendulum");
  const json curve = session.apply({{"do", "arms"}, {"muscle", "muscle"}, {"coordinate", "elbow"}});
  const auto x = curve["value"].get<std::vector<double>>();
  const auto numbers = [&](const char* key) {
    std::vector<double> out;
    for (const json& value : curve[key])
      out.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                    : value.get<double>());
    return out;
  };
  const std::vector<double> arm = numbers("arm"), length = numbers("length");
  ASSERT_EQ(x.size(), 81u);
  // It has no range of its own: a full turn.
  EXPECT_NEAR(x.front(), -std::numbers::pi, 1e-12);
  double largest = 0;
  int seen = 0;
  for (size_t k = 1; k + 1 < x.size(); ++k) {
    const double slope = (length[k + 1] - length[k - 1]) / (x[k + 1] - x[k - 1]);
    if (std::isnan(slope)) continue;  // wound up so far that there is no path
    ++seen;
    largest = std::max(largest, std::abs(arm[k]));
    // Central differences over ±0.08 rad, of arms that fall from 0.5 m to zero within 0.3 rad where
    // the bones lie upon each other: the slope is off by up to 0.08²/6 of the third derivative.
    EXPECT_NEAR(arm[k], -slope, 0.02) << x[k];
  }
  EXPECT_GT(largest, 0.09);
  EXPECT_GT(seen, 50);
}

TEST(ViewSession, StartsAndIsDrivenAsAsked) {
  const std::string leg = test::source_dir() + "/models/leg/leg.osim";
  ViewSession session(load_view_model(
      leg, {.set = {"/gravity=0 0 0"},
            .run = {.excitations = {"soleus_r=0.7"}, .initial = {"knee_angle_r=-0.5"}}}));
  const System& system = session.system();
  const auto knee = system.skeleton().find_coordinate("knee_angle_r");
  EXPECT_NEAR(session.state().q[knee], -0.5, 1e-12);
  EXPECT_EQ(system.gravity(), Vec3(0, 0, 0));
  const auto control = static_cast<size_t>(system.controls().find("soleus_r"));
  EXPECT_EQ(system.controls().entries()[control].control.value.derivatives(0)[0], 0.7);
  session.apply(set("knee_angle_r", -0.2));
  session.apply({{"do", "reset"}});
  EXPECT_NEAR(session.state().q[knee], -0.5, 1e-12);
}

TEST(ViewSession, ShowsModelsOfOpenSim) {
  ViewSession session(load_view_model(test::source_dir() + "/models/leg/leg.osim"));
  ReportData data;
  const auto header = session.describe(data);
  EXPECT_EQ(header["runs"][0]["model"]["muscles"].size(), 6u);
  EXPECT_EQ(header["live"]["mass"], "bones");
  const size_t count = header["runs"][0]["image"]["count"];
  EXPECT_EQ(json::parse(session.frame())["image"].get<std::string>().size(), (count + 2) / 3 * 4);
  // The range is the model's, and the arm that of gastrocnemius about the ankle: behind it, where
  // it pulls the foot down.
  const json curve =
      session.apply({{"do", "arms"}, {"muscle", "gasmed_r"}, {"coordinate", "ankle_angle_r"}});
  EXPECT_GT(curve["value"].front(), -std::numbers::pi);
  const double arm = curve["arm"][40];
  EXPECT_LT(arm, -0.02);
  EXPECT_GT(arm, -0.08);
  session.apply({{"do", "drive"}, {"muscle", "soleus_r"}, {"value", 1}});
  session.apply({{"do", "step"}});
  EXPECT_EQ(session.failure(), "");
}

TEST(ViewSession, MomentArmsDoNotMoveTheModel) {
  ViewSession session = view("wrap-pendulum");
  const State before = session.state();
  session.apply({{"do", "arms"}, {"muscle", "muscle"}, {"coordinate", "elbow"}});
  EXPECT_EQ(session.state(), before);
}

TEST(ViewSession, StepsAsTheSimulatorDoes) {
  for (const char* scene : {"wrap-pendulum", "four-bar", "knee-revolute"}) {
    ViewSession session = view(scene);
    const Scene plain = load_scene(test::source_dir() + "/scenes/" + scene + ".json");
    State state = initial_state(plain.system, plain.settings.step);
    Workspace ws(plain.system);
    for (int k = 0; k < 5; ++k) {
      session.apply({{"do", "step"}});
      step(plain.system, plain.settings.step, plain.settings.dt, state, ws);
    }
    // The hand that does not pull changes no bit.
    EXPECT_EQ(session.state(), state) << scene;
    session.apply({{"do", "reset"}});
    EXPECT_EQ(session.state(), initial_state(plain.system, plain.settings.step)) << scene;
  }
}

TEST(ViewSession, KeepsTimeWithTheWallTimesItsSpeed) {
  ViewSession session = view("wrap-pendulum");
  session.apply({{"do", "speed"}, {"value", 0.01}});
  session.apply({{"do", "run"}});
  // A frame is less than a step long: the remainders add up.
  for (int frame = 0; frame < 600; ++frame) session.advance(1.0 / 60, 1e9);
  EXPECT_NEAR(session.state().t, 0.1, session.model().settings.dt);
}

TEST(ViewSession, DoesNotMakeUpForTimeThatItHasNot) {
  ViewSession session = view("wrap-pendulum");
  session.apply({{"do", "run"}});
  session.advance(10, 0);
  EXPECT_NEAR(session.state().t, session.model().settings.dt, 1e-12);
  session.advance(0, 1e9);
  EXPECT_NEAR(session.state().t, session.model().settings.dt, 1e-12);
}

TEST(ViewSession, ExcitationsBecomeActivationAndTension) {
  ViewSession idle = view("knee-revolute"), driven = view("knee-revolute");
  for (ViewSession* session : {&idle, &driven})
    session->apply(
        {{"do", "drive"}, {"muscle", "rectus_femoris"}, {"value", session == &driven ? 1.0 : 0.0}});
  let_run(idle, 0.1);
  let_run(driven, 0.1);
  const auto of = [](ViewSession& session) {
    Workspace ws(session.system());
    const auto values = hill_values(session.system(), session.state(), ws);
    for (size_t i = 0; i < values.size(); ++i)
      if (session.system().muscles()[session.system().hill_muscles()[i]]->name() ==
          "rectus_femoris")
        return values[i];
    return HillValues<double>{};
  };
  EXPECT_GT(of(driven).activation, 0.9);
  EXPECT_LT(of(idle).activation, 0.05);
  EXPECT_GT(of(driven).actuation, 200 + of(idle).actuation);
  // It extends the knee.
  EXPECT_GT(driven.state().q[0], idle.state().q[0] + 0.01);
}

TEST(ViewSession, MusclesWithoutExcitationAreGivenTensions) {
  ViewSession idle = view("wrap-pendulum"), driven = view("wrap-pendulum");
  driven.apply({{"do", "drive"}, {"muscle", "muscle"}, {"value", 30}});
  EXPECT_EQ(driven.state(), idle.state());
  idle.apply({{"do", "step"}});
  driven.apply({{"do", "step"}});
  // The muscle is shorter the further the elbow is turned: it turns it on.
  EXPECT_GT(driven.state().qdot[1], idle.state().qdot[1] + 0.01);
  EXPECT_THAT(refusal(driven, {{"do", "drive"}, {"muscle", "muscle"}, {"value", -1}}),
              HasSubstr("cannot push"));
}

class PullOf : public testing::TestWithParam<const char*> {};

TEST_P(PullOf, BringsTheBodyToTheHandAndToRest) {
  ViewSession session =
      view("double-pendulum", {std::string("simulation.integrator=") + GetParam()});
  // The end of the lower body, half way between the shoulder and its reach.
  const Vec3 tip(0, 0, -0.2), target(0.2, 0, 0.1);
  const Skeleton& skeleton = session.system().skeleton();
  Workspace ws(session.system());
  session.apply({{"do", "pull"},
                 {"body", skeleton.body(BodyIndex(1)).name},
                 {"point", {tip[0], tip[1], tip[2]}},
                 {"target", {target[0], target[1], target[2]}}});
  let_run(session, 20);
  EXPECT_EQ(session.failure(), "");
  // It has come to rest: the damper's time is 1/(ζ ω) = 0.08 s.
  EXPECT_LT(session.state().qdot.norm(), 0.02);
  update_kinematics(session.system(), session.state(), ws);
  const Pose E = body_pose(skeleton, ws.skeleton, BodyIndex(1));
  // The weight of both bodies, at most, stretches the spring: 2 m g/(m ω²) = 5.5 cm.
  EXPECT_LT((E.p + E.R * tip - target).norm(), 0.06);
  session.apply({{"do", "release"}});
  let_run(session, 0.3);
  EXPECT_GT(session.state().qdot.norm(), 0.1) << "it falls again";
}

INSTANTIATE_TEST_SUITE_P(WithIntegrator, PullOf,
                         testing::Values("semi-implicit-euler", "rk4", "dopri5", "sdirk2", "bdf2",
                                         "linearly-implicit-euler", "variational"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Vec3 node_position(ViewSession& session, const std::string& name) {
  Workspace ws(session.system());
  for (const StrandReading& node : StrandTensions(session.system()).nodes(session.state(), ws))
    if (session.system().strands()->nodes()[static_cast<size_t>(node.node)].name == name)
      return node.x;
  ADD_FAILURE() << name;
  return Vec3::Zero();
}

class NodePullOf : public testing::TestWithParam<const char*> {};

TEST_P(NodePullOf, BringsTheNodeToTheHandAndToRest) {
  ViewSession session = view("catenary", {std::string("simulation.integrator=") + GetParam()});
  const Vec3 start = node_position(session, "middle"), target = start + Vec3(0, 0.05, 0.02);
  session.apply(
      {{"do", "pull"}, {"node", "middle"}, {"target", {target[0], target[1], target[2]}}});
  let_run(session, 4);
  EXPECT_EQ(session.failure(), "");
  // The weight of what hangs there, at most, stretches the spring: m g/(m ω²) = 2.8 cm.
  EXPECT_LT((node_position(session, "middle") - target).norm(), 0.03);
  EXPECT_GT(node_position(session, "middle").z() - start.z(), 0.015);
  session.apply({{"do", "release"}});
  let_run(session, 0.2);
  EXPECT_LT(node_position(session, "middle").y(), target.y() - 0.03) << "it falls again";
}

INSTANTIATE_TEST_SUITE_P(WithIntegrator, NodePullOf,
                         testing::Values("sdirk2", "linearly-implicit-euler"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(NodePull, IsRefusedWhereNoNodeMovesFreely) {
  ViewSession session = view("double-pulley");
  const auto pull = [](const char* node) {
    return json{{"do", "pull"}, {"node", node}, {"target", {0, 0, 0}}};
  };
  EXPECT_THAT(refusal(session, pull("eye")), HasSubstr("does not move freely"));
  EXPECT_THAT(refusal(session, pull("weigt")), HasSubstr("weight"));
  EXPECT_EQ(refusal(session, pull("weight")), "");
  ViewSession none = view("double-pendulum");
  EXPECT_THAT(refusal(none, pull("weight")), HasSubstr("does not exist"));
}

TEST(NodePull, StiffnessAndDampingAgreeWithDifferences) {
  SystemEdit edit{.parts = {std::make_shared<NodePull>("pull")}};
  const LoadedModel model = load_view_model(test::source_dir() + "/scenes/strand-arm.json");
  const System system = model.build(edit);
  NodePullInput input = pull_of_node(system, "weight", Vec3(0.1, 0.2, 0.3), 0);
  ASSERT_GT(input.stiffness, 0);
  VecX u = VecX::Zero(system.controls().size());
  const int first = system.controls().find("pull");
  const auto values = input.to_controls();
  for (int k = 0; k < NodePullInput::kControls; ++k) u[first + k] = values[static_cast<size_t>(k)];
  const State state = system.default_state();
  const VecX qdot = test::Random(2).vecx(system.dof_count(), 0.3);
  const VecX rest = VecX::Zero(system.dof_count());
  Workspace ws(system);
  const auto residual = [&](const VecX& q, const VecX& rate) {
    VecX g(system.dof_count());
    inverse_dynamics(system, {0, q, rate, state.z, 0, u}, rest, ws, g);
    return g;
  };
  VecX g(system.dof_count());
  Linearization at;
  linearize(system, {0, state.q, qdot, state.z, 0, u}, rest, StiffnessModel::exact, ws, g, at);
  const auto dense = [&](const MatX& rr, const NodeEntries& nodes) {
    MatX out = MatX::Zero(state.q.size(), state.q.size());
    for (Eigen::Index k = 0; k < out.cols(); ++k)
      add_product(system.nodes(), rr, nodes, 1, VecX::Unit(out.rows(), k), out.col(k));
    return out;
  };
  const auto by_q = check_derivative([&](const VecX& x) { return residual(x, qdot); }, state.q,
                                     dense(at.dg_dq, at.dg_dq_nodes));
  EXPECT_TRUE(by_q.confirms()) << by_q.table();
  const auto by_qdot = check_derivative([&](const VecX& x) { return residual(state.q, x); }, qdot,
                                        dense(at.dg_dqdot, at.dg_dqdot_nodes));
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
  // The hand is part of it: without it the node's own block is another one.
  u.setZero();
  Linearization without;
  linearize(system, {0, state.q, qdot, state.z, 0, u}, rest, StiffnessModel::exact, ws, g, without);
  const MatX change = dense(at.dg_dq, at.dg_dq_nodes) - dense(without.dg_dq, without.dg_dq_nodes);
  EXPECT_NEAR(change.trace(), 3 * input.stiffness, 1e-9 * input.stiffness);
}

TEST(PullForce, StiffnessAndDampingAgreeWithDifferences) {
  const Skeleton skeleton = SkeletonBuilder()
                                .add_body(test::body("base", "", Free3D(), 2))
                                .add_body(test::body("arm", "base", Revolute(Vec3(1, 2, 2)), 3))
                                .add_body(test::body("hand", "arm", SphericalExp(), 5))
                                .build();
  const auto input =
      PullInput{BodyIndex(2), Vec3(0.3, -0.2, 0.1), Vec3(1, 2, -1), 30, 4}.to_controls();
  const VecX u = Eigen::Map<const VecX>(input.data(), PullInput::kControls), z;
  const System with = SystemBuilder(skeleton)
                          .set_gravity(Vec3::Zero())
                          .add_force(std::make_shared<PullForce>("pull"))
                          .build();
  const System without = SystemBuilder(skeleton).set_gravity(Vec3::Zero()).build();
  Workspace a(with), b(without);
  const int n = skeleton.dof_count();
  const VecX q = test::Random(1).vecx(n, 0.8), qdot = test::Random(2).vecx(n, 1.5);
  const VecX rest = VecX::Zero(n);
  const auto exerted = [&](const VecX& at, const VecX& rate) {
    VecX one(n), other(n);
    inverse_dynamics(with, {0, at, rate, z, 0, u}, rest, a, one);
    inverse_dynamics(without, {0, at, rate}, rest, b, other);
    return VecX(other - one);
  };
  VecX g(n);
  Linearization one, other;
  linearize(with, {0, q, qdot, z, 0, u}, rest, StiffnessModel::exact, a, g, one);
  linearize(without, {0, q, qdot}, rest, StiffnessModel::exact, b, g, other);
  const auto by_q =
      check_derivative([&](const VecX& x) { return exerted(x, qdot); }, q, other.dg_dq - one.dg_dq);
  EXPECT_TRUE(by_q.confirms()) << by_q.table();
  const auto by_qdot = check_derivative([&](const VecX& x) { return exerted(q, x); }, qdot,
                                        other.dg_dqdot - one.dg_dqdot);
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
}

TEST(ViewSession, ShowsMassInMusclesAndOnBonesSideBySide) {
  ViewSession session = view("wrap-pendulum");
  ReportData data;
  const auto header = session.describe(data);
  ASSERT_EQ(header["runs"].size(), 2u);
  EXPECT_EQ(header["live"]["mass"], "muscles");
  EXPECT_EQ(header["runs"][0]["model"]["muscles"][0]["mass"], 1);
  EXPECT_EQ(header["runs"][1]["model"]["muscles"][0]["mass"], 0);
  EXPECT_FALSE(json::parse(session.frame()).contains("ghost"));
  session.apply({{"do", "mass"}, {"show", "both"}});
  const json start = json::parse(session.frame());
  EXPECT_EQ(start["mass"], "both");
  let_run(session, 1);
  const json later = json::parse(session.frame());
  EXPECT_NE(later["image"], later["ghost"]);

  // Each is the same as alone.
  const State both = session.state();
  ViewSession alone = view("wrap-pendulum");
  let_run(alone, 1);
  EXPECT_EQ(both.q, alone.state().q);
  ViewSession bones = view("wrap-pendulum");
  bones.apply({{"do", "mass"}, {"show", "bones"}});
  let_run(bones, 1);
  EXPECT_GT((bones.state().q - alone.state().q).norm(), 1e-3);
  EXPECT_EQ(json::parse(bones.frame())["image"], later["ghost"]);
}

TEST(ViewSession, PutsMassIntoTheMusclesOfOpenSimsModels) {
  const std::string path = test::source_dir() + "/models/leg/leg.osim";
  ViewSession session(load_view_model(path));
  ReportData data;
  const auto header = session.describe(data);
  double mass = 0;
  for (size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(header["runs"][1]["model"]["muscles"][k]["mass"], 0);
    mass += header["runs"][0]["model"]["muscles"][k]["mass"].get<double>();
  }
  EXPECT_GT(mass, 1);
  EXPECT_NEAR(header["runs"][0]["model"]["mass"].get<double>(),
              header["runs"][1]["model"]["mass"].get<double>(), 1e-9);

  // On the bones it is the model of the file.
  const OsimModel model = load_osim(path);
  const System plain = model.system_builder().build();
  Workspace ws(plain);
  const SimulationSettings& settings = session.model().settings;
  State state = initial_state(plain, settings.step);
  for (int k = 0; k < 20; ++k) {
    session.apply({{"do", "step"}});
    ASSERT_EQ(step(plain, settings.step, settings.dt, state, ws).status, StepStatus::ok);
  }
  EXPECT_LT((session.state().q - state.q).norm(), 1e-12);

  session.apply({{"do", "mass"}, {"show", "both"}});
  session.apply({{"do", "drive"}, {"muscle", "soleus_r"}, {"value", 0.5}});
  let_run(session, 0.1);
  EXPECT_EQ(session.failure(), "");
  const json later = json::parse(session.frame());
  EXPECT_NE(later["image"], later["ghost"]);
}

TEST(ViewSession, RefusesToSwitchMassThatIsNotThere) {
  ViewSession session = view("double-pendulum");
  EXPECT_THAT(refusal(session, {{"do", "mass"}, {"show", "both"}}), HasSubstr("mass"));
  ReportData data;
  EXPECT_EQ(session.describe(data)["live"]["mass"], nullptr);
}

TEST(ViewSession, FramesFitThePlaceThatTheHeaderGivesThem) {
  for (const char* scene : {"wrap-pendulum", "four-bar", "knee-spline", "hand"}) {
    ViewSession session = view(scene);
    ReportData data;
    const auto header = session.describe(data);
    for (int k = 0; k < 3; ++k) {
      const size_t count = header["runs"][0]["image"]["count"];
      const std::string image = json::parse(session.frame())["image"];
      EXPECT_EQ(image.size(), (count + 2) / 3 * 4) << scene;
      session.apply({{"do", "step"}});
    }
  }
}

TEST(ViewSession, ARunThatFailsStopsAndSaysWhere) {
  ViewSession session =
      view("whip", {"simulation.integrator=semi-implicit-euler", "simulation.dt=0.5"});
  session.apply({{"do", "run"}});
  for (int k = 0; k < 1000 && session.running(); ++k) session.advance(1, 1e9);
  EXPECT_FALSE(session.running());
  EXPECT_THAT(session.failure(), HasSubstr("diverged at t = "));
  EXPECT_TRUE(session.state().q.allFinite());
  EXPECT_EQ(json::parse(session.frame())["failure"], session.failure());
  session.apply({{"do", "reset"}});
  EXPECT_EQ(session.failure(), "");
}

std::string leg() { return test::source_dir() + "/models/leg/leg.osim"; }
json turn(const char* what, bool on) { return {{"do", what}, {"on", on}}; }
json lock(const char* coordinate, bool on) {
  return {{"do", "lock"}, {"coordinate", coordinate}, {"on", on}};
}
double value(const ViewSession& session, const char* coordinate) {
  return session.state().q[session.system().skeleton().find_coordinate(coordinate)];
}

TEST(ViewSession, StopsKeepCoordinatesWithinTheirRanges) {
  // Hanging by the pelvis, with rectus femoris extending the knee as hard as it can.
  const auto run = [](bool stops) {
    ViewSession session(load_view_model(leg()));
    session.apply(turn("stops", stops));
    session.apply(turn("hold", true));
    session.apply({{"do", "drive"}, {"muscle", "recfem_r"}, {"value", 1}});
    session.apply({{"do", "drive"}, {"muscle", "soleus_r"}, {"value", 1}});
    const MotionTarget& target = session.model().target;
    double beyond = 0;
    for (int k = 0; k < 50; ++k) {
      let_run(session, 0.02);
      for (size_t i = 6; i < target.ranges.size(); ++i) {
        const double q = session.state().q[static_cast<Eigen::Index>(i)];
        beyond = std::max({beyond, q - target.ranges[i].upper, target.ranges[i].lower - q});
      }
    }
    EXPECT_EQ(session.failure(), "");
    return beyond;
  };
  // They give way by 2° under everything that the muscles can do, and by a bit more under a blow.
  EXPECT_LT(run(true), 4 * std::numbers::pi / 180);
  EXPECT_GT(run(false), 20 * std::numbers::pi / 180);
}

TEST(ViewSession, WithoutStopsItIsTheSimulatorToTheBit) {
  ViewSession session(load_view_model(leg(), {.mass = {.source = "off"}}));
  session.apply(turn("stops", false));
  let_run(session, 0.5);
  const OsimModel model = load_osim(leg());
  const System plain = model.system_builder().build();
  Workspace ws(plain);
  SimulationSettings settings = session.model().settings;
  settings.until = session.state().t;
  State state = initial_state(plain, settings.step);
  EXPECT_EQ(simulate(plain, settings, state, ws).end, SimulationEnd::finished);
  EXPECT_EQ(session.state().t, state.t);
  EXPECT_EQ(hash(session.state()), hash(state));
}

TEST(ViewSession, ScenesHaveTheirOwnStops) {
  ViewSession session = view("finger-flick");
  ReportData data;
  EXPECT_EQ(session.describe(data)["live"]["stops"], 0);
  EXPECT_THAT(refusal(session, turn("stops", true)), HasSubstr("no ranges"));
}

TEST(ViewSession, LockedCoordinatesStayAsTheyAre) {
  ViewSession session(load_view_model(leg()));
  session.apply(set("knee_angle_r", -0.4));
  session.apply(lock("knee_angle_r", true));
  EXPECT_THAT(refusal(session, set("knee_angle_r", 0)), HasSubstr("is locked"));
  session.apply({{"do", "drive"}, {"muscle", "recfem_r"}, {"value", 1}});
  session.apply(turn("hold", true));
  const VecX before = session.state().q;
  let_run(session, 0.3);
  EXPECT_EQ(session.failure(), "");
  EXPECT_NEAR(value(session, "knee_angle_r"), -0.4, 1e-9);
  // The pelvis too, all of it; the hip is free.
  EXPECT_LT((session.state().q - before).head(6).norm(), 1e-9);
  EXPECT_GT(std::abs(value(session, "hip_flexion_r")), 0.05);
  // Moment arms are those over the whole range.
  const json curve =
      session.apply({{"do", "arms"}, {"muscle", "recfem_r"}, {"coordinate", "knee_angle_r"}});
  for (const json& arm : curve["arm"]) EXPECT_TRUE(arm.is_number());
  // Let go, it extends; what was locked in motion stops there.
  session.apply(lock("knee_angle_r", false));
  let_run(session, 0.1);
  EXPECT_GT(std::abs(value(session, "knee_angle_r") + 0.4), 0.05);
  const double moving = value(session, "knee_angle_r");
  session.apply(lock("knee_angle_r", true));
  let_run(session, 0.1);
  EXPECT_NEAR(value(session, "knee_angle_r"), moving, 1e-9);
  // A reset brings the start, and the locks hold that.
  session.apply({{"do", "reset"}});
  EXPECT_EQ(value(session, "knee_angle_r"), 0);
  let_run(session, 0.1);
  EXPECT_NEAR(value(session, "knee_angle_r"), 0, 1e-9);
}

TEST(ViewSession, UndoesAndRedoesEdits) {
  ViewSession session = view("knee-revolute");
  const double start = session.state().q[0];
  const auto name = session.system().coordinates()[0].name;
  json drag = set(name.c_str(), start + 0.1);
  drag["stroke"] = 7;
  session.apply(drag);
  drag["value"] = start + 0.2;
  session.apply(drag);
  session.apply({{"do", "drive"}, {"muscle", "rectus_femoris"}, {"value", 0.7}});
  session.apply({{"do", "mass"}, {"show", "bones"}});
  const auto frame = [&] { return json::parse(session.frame()); };
  EXPECT_EQ(frame()["undo"], "mass");
  session.apply({{"do", "undo"}});
  EXPECT_EQ(frame()["mass"], "muscles");
  EXPECT_EQ(frame()["undo"], "drive rectus_femoris");
  session.apply({{"do", "undo"}});
  session.apply({{"do", "undo"}});
  // A slider that was dragged is one edit.
  EXPECT_EQ(session.state().q[0], start);
  EXPECT_EQ(frame()["undo"], "");
  EXPECT_THAT(refusal(session, {{"do", "undo"}}), HasSubstr("nothing to do"));
  for (int k = 0; k < 3; ++k) session.apply({{"do", "redo"}});
  EXPECT_EQ(session.state().q[0], start + 0.2);
  EXPECT_EQ(frame()["mass"], "bones");
  EXPECT_EQ(frame()["redo"], "");
  // Undone, the model drives its muscles again.
  ViewSession driven = view("knee-revolute"), plain = view("knee-revolute");
  driven.apply({{"do", "drive"}, {"muscle", "rectus_femoris"}, {"value", 0.7}});
  driven.apply({{"do", "undo"}});
  for (ViewSession* s : {&driven, &plain}) let_run(*s, 0.1);
  EXPECT_EQ(driven.state(), plain.state());
}

TEST(ViewSession, PlaysAndScrubsAMotion) {
  LoadedModel model = load_view_model(leg());
  const MotionReading reading =
      read_motion(test::source_dir() + "/models/leg/swing_10kmh.mot", model.target, {});
  const Motion motion = reading.motion;
  ViewSession session(std::move(model), Playback("swing", motion));
  EXPECT_EQ(session.state().q, motion.front().q);
  const auto seek = [](double t) { return json{{"do", "seek"}, {"time", t}}; };
  const size_t middle = motion.size() / 2;
  session.apply(seek(motion[middle].t));
  EXPECT_LT((session.state().q - motion[middle].q).norm(), 1e-12);
  // Between two rows the speeds are the rates of the poses.
  const double t = 0.3 * motion[middle].t + 0.7 * motion[middle + 1].t, h = 1e-6;
  session.apply(seek(t + h));
  const VecX ahead = session.state().q;
  session.apply(seek(t - h));
  const VecX behind = session.state().q;
  session.apply(seek(t));
  // Rounding of differences.
  EXPECT_LT(((ahead - behind) / (2 * h) - session.state().qdot).norm(),
            1e-6 * (1 + session.state().qdot.norm()));
  session.apply(seek(-100));
  EXPECT_EQ(session.state().t, motion.front().t);
  // It starts over at its end.
  session.apply({{"do", "play"}});
  const double length = motion.back().t - motion.front().t;
  session.advance(0.4 * length, 1);
  session.advance(0.9 * length, 1);
  EXPECT_NEAR(session.state().t - motion.front().t, 0.3 * length, 1e-9);
  EXPECT_TRUE(json::parse(session.frame())["playing"]);
  session.apply({{"do", "pause"}});
  EXPECT_FALSE(session.moving());
  // The simulation starts from there.
  let_run(session, 0.02);
  EXPECT_EQ(session.failure(), "");
  EXPECT_NEAR(session.state().t - motion.front().t, 0.3 * length + 0.02, 1e-2);
  ViewSession still(load_view_model(leg()));
  EXPECT_THAT(refusal(still, {{"do", "play"}}), HasSubstr("has no motion"));
}

TEST(ViewSession, ShowsAnotherMotionBesideTheFirst) {
  const auto read = [](const LoadedModel& model, const char* name) {
    return read_motion(test::source_dir() + "/models/leg/" + name, model.target, {}).motion;
  };
  LoadedModel model = load_view_model(leg()), other = load_view_model(leg());
  Playback slow("slow", read(model, "swing_10kmh.mot")),
      fast("fast", read(model, "swing_17kmh.mot"));
  const double length = fast.end() - fast.start();
  ViewSession session(std::move(model), fast, Beside{std::move(other), slow});
  ReportData data;
  const auto header = session.describe(data);
  EXPECT_EQ(header["live"]["beside"], "slow");
  EXPECT_EQ(header["runs"].size(), 2u);
  session.apply({{"do", "seek"}, {"time", fast.start() + 0.5 * length}});
  const json frame = json::parse(session.frame());
  EXPECT_NE(frame["image"], frame["ghost"]);
  // The ghost is what the other motion alone shows.
  ViewSession alone(load_view_model(leg()), slow);
  alone.apply({{"do", "seek"}, {"time", fast.start() + 0.5 * length}});
  EXPECT_EQ(json::parse(alone.frame())["image"], frame["ghost"]);
  EXPECT_THAT(refusal(session, {{"do", "mass"}, {"show", "both"}}), HasSubstr("second ghost"));
}

TEST(ViewSession, ShowsAnotherModelBesideTheFirst) {
  const auto load = [](const std::vector<std::string>& set) {
    return load_view_model(test::source_dir() + "/scenes/double-pendulum.json", {.set = set});
  };
  // A second one that takes shorter steps.
  ViewSession session(load({}), {}, Beside{load({"simulation.dt=0.0005"})});
  ViewSession alone(load({"simulation.dt=0.0005"}));
  const std::string first = session.system().coordinates()[0].name;
  for (ViewSession* s : {&session, &alone}) {
    s->apply(set(first.c_str(), 0.3));
    s->apply({{"do", "step"}});
  }
  const double dt = session.model().settings.dt;
  while (alone.state().t < dt - 1e-9) alone.apply({{"do", "step"}});
  const json frame = json::parse(session.frame());
  EXPECT_NE(frame["image"], frame["ghost"]);
  EXPECT_EQ(json::parse(alone.frame())["image"], frame["ghost"]);
  session.apply({{"do", "undo"}});
  const json back = json::parse(session.frame());
  EXPECT_EQ(back["image"], back["ghost"]);
}

TEST(ViewSession, RefusesWhatMakesNoSenseAndStaysAsItIs) {
  ViewSession session = view("wrap-pendulum");
  const State before = session.state();
  EXPECT_THAT(refusal(session, json::array()), HasSubstr("is not an object"));
  EXPECT_THAT(refusal(session, {{"make", "run"}}), HasSubstr("has no 'do'"));
  EXPECT_THAT(refusal(session, {{"do", 7}}), HasSubstr("is not a text"));
  EXPECT_THAT(refusal(session, {{"do", "ran"}}), HasSubstr("did you mean 'run'?"));
  EXPECT_THAT(refusal(session, set("elbo", 1)), HasSubstr("did you mean 'elbow'?"));
  EXPECT_THAT(refusal(session, {{"do", "set"}, {"coordinate", "elbow"}, {"value", "x"}}),
              HasSubstr("is not a number"));
  EXPECT_THAT(refusal(session, {{"do", "set"}, {"coordinate", "elbow"}, {"value", nullptr}}),
              HasSubstr("is not a number"));
  EXPECT_THAT(refusal(session, {{"do", "pull"}, {"body", "upper"}, {"point", {1, 2}}}),
              HasSubstr("is not a point"));
  EXPECT_THAT(refusal(session, {{"do", "speed"}, {"value", 0}}), HasSubstr("makes no sense"));
  EXPECT_EQ(session.state(), before);
}

}  // namespace view_session_test
}  // namespace sinew
