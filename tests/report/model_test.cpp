#include "sinew/report/model.hpp"

#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"
#include "sinew/report/report_frame.hpp"
#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew {
namespace report_model_test {

using nlohmann::ordered_json;

/// A body on a hinge half a metre below the world's origin.
BodySpec hinged() {
  BodySpec body;
  body.name = "shank";
  body.joint = Revolute{Vec3::UnitZ()};
  body.E_PJ.p = {0, -0.5, 0};
  body.M_B = SpatialInertia::FromCentral(1, {0, -0.2, 0}, Mat3::Identity());
  return body;
}

/// From the world to the body, 0.6 m long at first.
Muscle pulling(const std::string& name) {
  Muscle muscle;
  muscle.name = name;
  muscle.points = {PathPoint::Fixed(kWorld, {0.1, 0, 0}),
                   PathPoint::Fixed(BodyIndex{0}, {0.1, -0.1, 0})};
  return muscle;
}

ordered_json described(const System& system) {
  ReportData data;
  std::vector<std::string> notes;
  const ModelLook look;
  return describe_model({system, look}, data, notes);
}

TEST(ReportModel, AMuscleHasTheVolumeOfItsMassOrOfItsStrength) {
  Muscle massive = pulling("massive"), strong = pulling("strong"), unknown = pulling("unknown");
  massive.mass = 0.5;
  massive.material = MaterialMap::Uniform(0.1, 0.6);
  HillDescription hill;
  hill.muscle.max_isometric_force = 1200;
  hill.muscle.optimal_fibre_length = 0.08;
  hill.muscle.tendon_slack_length = 0.3;
  hill.muscle.pennation_at_optimal = 0.3;
  strong.hill = hill;
  SystemBuilder builder(SkeletonBuilder().add_body(hinged()).build());
  for (const Muscle& muscle : {massive, strong, unknown}) builder.add_muscle(muscle);
  const ordered_json muscles = described(builder.build()).at("muscles");

  ASSERT_EQ(muscles.size(), 3u);
  EXPECT_DOUBLE_EQ(muscles[0].at("volume").get<double>(), 0.5 / kMuscleDensity);
  EXPECT_EQ(muscles[0].at("material"), ordered_json({0, 0.1, 0, 0.5}));
  EXPECT_EQ(muscles[0].at("pennation"), 0);
  EXPECT_DOUBLE_EQ(muscles[1].at("volume").get<double>(), 1200 * 0.08 / kSpecificTension);
  EXPECT_EQ(muscles[1].at("pennation"), 0.3);
  const MaterialMap belly = belly_of(hill.muscle, 0.6);
  EXPECT_EQ(muscles[1].at("material"), ordered_json({belly.A0, belly.A1, belly.B0, belly.B1}));
  EXPECT_LT(belly.B0, 0) << "tendons keep their length";
  EXPECT_EQ(muscles[2].at("volume"), 0);
}

TEST(ReportModel, WiresOfSplineJointsAreDescribedOnce) {
  std::vector<Pose> frames;
  for (int k = 0; k < 6; ++k) frames.push_back(Pose::Translation({0.1 * k, 0.01 * k * k, 0}));
  SkeletonBuilder builder;
  for (const char* name : {"first", "second"}) {
    BodySpec bead;
    bead.name = name;
    bead.joint = SplineCurve::Uniform(frames, SplineEnds::open);
    bead.E_PJ.p = {0, 2, 0};
    bead.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
    builder.add_body(bead);
  }
  const ordered_json wires = described(SystemBuilder(builder.build()).build()).at("wires");
  ASSERT_EQ(wires.size(), 1u);
  EXPECT_EQ(wires[0].at("body"), -1);
  // Three spans of eight pieces.
  EXPECT_EQ(wires[0].at("points").at("count"), 3 * 25);
  EXPECT_EQ(wires[0].at("frames").at("count"), 7 * 6);
  EXPECT_EQ(wires[0].at("axes").at("count"), 0) << "nothing turns";
}

TEST(ReportModel, SurfacesOfSplineJointsAreDrawnAndMoveWhereTheyDeform) {
  std::array<MatX, 6> grids, change;
  for (MatX& grid : grids) grid = MatX::Zero(4, 4);
  change = grids;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      grids[0](i, j) = j;
      grids[1](i, j) = i;
      change[2](i, j) = 1;
    }
  const auto system = [&](bool deforms) {
    BodySpec glider;
    glider.name = "glider";
    const SplineSurface surface(grids);
    glider.joint = deforms ? surface.deforming({{change, LinearFunction{{2}, 0}}}) : surface;
    glider.E_PJ.p = {0, 0, 5};
    glider.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
    return SystemBuilder(SkeletonBuilder().add_body(glider).build()).build();
  };
  const ordered_json fixed = described(system(false));
  ASSERT_EQ(fixed.at("fixed").size(), 1u);
  EXPECT_EQ(fixed.at("fixed")[0].at("type"), "mesh");
  EXPECT_TRUE(fixed.at("deforming").empty());
  const System deforming = system(true);
  const ordered_json moving = described(deforming);
  EXPECT_TRUE(moving.at("fixed").empty());
  ASSERT_EQ(moving.at("deforming").size(), 1u);
  FrameDrawer drawer(deforming);
  DrawnFrame frame;
  State state = deforming.default_state();
  for (const double t : {0.0, 0.7}) {
    state.t = t;
    drawer.update(state, deforming.controls(), frame);
    ASSERT_EQ(frame.deforming.size(), 1u);
    ASSERT_EQ(frame.deforming[0].size(),
              3u * moving.at("deforming")[0].at("vertices").get<size_t>());
    for (size_t k = 2; k < frame.deforming[0].size(); k += 3)
      EXPECT_NEAR(frame.deforming[0][k], 5 + 2 * t, 1e-12);
  }
}

/// Origins of frames of a body along a polyline of points that a run draws.
void expect_curve(const SplineCurve& curve, const Pose& E_WC, const std::vector<double>& points) {
  const auto pieces = static_cast<double>(points.size() / 3 - 1);
  for (size_t k = 0; k < points.size(); k += 3) {
    const double q = curve.spline().begin() + (curve.spline().end() - curve.spline().begin()) *
                                                  (static_cast<double>(k) / 3 / pieces);
    const Vec3 x = E_WC * test::motion(curve, test::vec({q}), test::vec({0})).Q.p;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(points[k + static_cast<size_t>(i)], x[i], 1e-12) << q;
  }
}

// Two letters, one on the other: a curve fixed to the parent and a reversed one fixed to the child.
TEST(ReportModel, CurvesInSeriesAreDescribedWhereTheyAreFixed) {
  test::Random random(4);
  std::vector<Pose> frames;
  for (int k = 0; k < 6; ++k) frames.push_back(random.pose(0.3));
  const SplineCurve curve = SplineCurve::Uniform(frames, SplineEnds::open);
  BodySpec first, second;
  first.name = "first";
  first.joint = Revolute(Vec3::UnitX());
  first.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
  second = first;
  second.name = "second";
  second.parent = "first";
  second.joint = Composite{{Fixed{}, curve, Composite{{curve.reversed(), Fixed{}}}}};
  const System system =
      SystemBuilder(SkeletonBuilder().add_body(first).add_body(second).build()).build();
  const ordered_json model = described(system);
  ASSERT_EQ(model.at("wires").size(), 2u);
  EXPECT_EQ(model.at("wires")[0].at("body"), 0);
  EXPECT_EQ(model.at("wires")[1].at("body"), 1);
  // The same letter, seen from both bodies.
  EXPECT_EQ(model.at("wires")[0].at("points"), model.at("wires")[1].at("points"));
  EXPECT_EQ(model.at("wires")[0].at("frames"), model.at("wires")[1].at("frames"));
  EXPECT_GT(model.at("wires")[0].at("axes").at("count"), 0);
  EXPECT_TRUE(model.at("lines").empty());
}

// A hinge, a curve, and a hinge: the curve turns with the first; reversed, with the last.
TEST(ReportModel, CurvesThatPartsOfAJointCarryMove) {
  test::Random random(4);
  std::vector<Pose> frames;
  for (int k = 0; k < 6; ++k) frames.push_back(random.pose(0.3));
  const SplineCurve curve = SplineCurve::Uniform(frames, SplineEnds::open);
  const Revolute hinge(Vec3::UnitY());
  for (const bool reversed : {false, true}) {
    BodySpec body;
    body.name = "body";
    body.joint = Composite{{hinge, reversed ? curve.reversed() : curve, hinge}};
    body.E_PJ = random.pose(0.2);
    body.E_JB = random.pose(0.2);
    body.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
    const System system = SystemBuilder(SkeletonBuilder().add_body(body).build()).build();
    const ordered_json model = described(system);
    EXPECT_TRUE(model.at("wires").empty());
    ASSERT_EQ(model.at("lines").size(), 1u);
    FrameDrawer drawer(system);
    DrawnFrame frame;
    State state = system.default_state();
    for (const double q : {0.0, 0.8}) {
      state.q << q, 1.2, -q;
      drawer.update(state, system.controls(), frame);
      ASSERT_EQ(frame.lines.size(), 3 * model.at("lines")[0].at("points").get<size_t>());
      const Pose turned = test::motion(hinge, test::vec({q}), test::vec({0})).Q;
      const Pose on_curve = test::motion(curve, test::vec({1.2}), test::vec({0})).Q;
      // What the reversed curve is fixed to is one inverted pose of it further.
      expect_curve(curve, body.E_PJ * turned * (reversed ? on_curve.inverse() : Pose()),
                   frame.lines);
    }
  }
}

// A surface on a slider goes with it.
TEST(ReportModel, SurfacesThatPartsOfAJointCarryMove) {
  std::array<MatX, 6> grids;
  for (MatX& grid : grids) grid = MatX::Zero(4, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) grids[0](i, j) = j, grids[1](i, j) = i;
  BodySpec glider;
  glider.name = "glider";
  glider.joint = Composite{{Prismatic(Vec3::UnitZ()), SplineSurface(grids)}};
  glider.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
  const System system = SystemBuilder(SkeletonBuilder().add_body(glider).build()).build();
  const ordered_json model = described(system);
  EXPECT_TRUE(model.at("fixed").empty());
  ASSERT_EQ(model.at("deforming").size(), 1u);
  FrameDrawer drawer(system);
  DrawnFrame frame;
  State state = system.default_state();
  for (const double z : {0.0, 0.7}) {
    state.q[0] = z;
    drawer.update(state, system.controls(), frame);
    for (size_t k = 2; k < frame.deforming[0].size(); k += 3)
      EXPECT_NEAR(frame.deforming[0][k], z, 1e-12);
  }
}

}  // namespace report_model_test
}  // namespace sinew
