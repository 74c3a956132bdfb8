#include "sinew/muscles/path/span_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"

/// Requirements on a muscle's description, and known paths and inertias.

namespace sinew {
namespace muscle_element_test {

constexpr double kPi = std::numbers::pi;

/// Two hinges about z, one metre apart along x; the first at the origin.
Skeleton two_hinges() {
  SkeletonBuilder builder;
  for (const char* name : {"upper", "lower"}) {
    BodySpec body;
    body.name = name;
    if (body.name == "lower") {
      body.parent = "upper";
      body.E_PJ.p = Vec3(1, 0, 0);
    }
    body.joint = Revolute{Vec3(0, 0, 1)};
    body.M_B = SpatialInertia::FromCentral(1, Vec3(0.5, 0, 0), 0.1 * Mat3::Identity());
    builder.add_body(body);
  }
  return builder.build();
}

constexpr BodyIndex kUpper(0), kLower(1);

Muscle straight(double mass) {
  Muscle muscle;
  muscle.name = "m";
  muscle.mass = mass;
  muscle.points = {PathPoint::Fixed(kUpper, Vec3(0.2, 0.1, 0)),
                   PathPoint::Fixed(kLower, Vec3(0.3, 0.1, 0))};
  return muscle;
}

/// The text of the Error that the muscle's construction throws, empty if it throws none.
std::string complaint(const Muscle& muscle) {
  try {
    SpanPath(two_hinges(), muscle);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

double length_at(const Muscle& muscle, const VecX& q) {
  SystemBuilder builder(two_hinges());
  builder.add_muscle(muscle);
  const System system = builder.build();
  Workspace ws(system);
  const VecX rest = VecX::Zero(2);
  update_forces(system, {0, q, rest}, ws);
  const ConstVecRef at(q), rate(rest);
  const SpanPath& element = *system.muscles()[0]->spans();
  element.update({system.skeleton(), 0, at, rate, ws.skeleton}, nullptr, MuscleView::path,
                 muscle_scratch(ws).path.spans);
  return element.length(muscle_scratch(ws).path.spans);
}

TEST(ConditionalPoints, DoNotBendThePathWhereTheyAreOutBesideAPointThatMoves) {
  const DofIndex elbow(1);
  const PathPoint moving =
      PathPoint::Moving(kUpper, Vec3(0.7, 0.2, 0), {DofIndex(), elbow, DofIndex()},
                        {ConstantFunction{0}, PolynomialFunction{{0.3, 0.2}}, ConstantFunction{0}});
  Muscle muscle = straight(0);
  const PathPoint end = muscle.points.back();
  const PathPoint inner = PathPoint::Conditional(kLower, Vec3(0.1, 0.3, 0), DofIndex(0),
                                                 {-0.5, 0.5, 0.1}, moving, end, 0.6);
  muscle.points = {muscle.points.front(), moving, end};
  Muscle with = muscle, twice = muscle;
  with.points.insert(
      with.points.begin() + 2,
      PathPoint::Conditional(kLower, Vec3(0.1, 0.2, 0), elbow, {-0.5, 0.5, 0.1}, moving, end, 0.4));
  // Between a point that moves and one that is conditional itself.
  twice.points.insert(twice.points.begin() + 2, inner);
  twice.points.insert(twice.points.begin() + 2,
                      PathPoint::Conditional(kUpper, Vec3(0.8, 0.3, 0), elbow, {-0.5, 0.5, 0.1},
                                             moving, inner, 0.5));
  const VecX out = VecX::Constant(2, 0.9);
  // Rounding of sums of lengths.
  EXPECT_NEAR(length_at(with, out), length_at(muscle, out), 1e-15);
  EXPECT_NEAR(length_at(twice, out), length_at(muscle, out), 2e-15);
  const VecX in = VecX::Constant(2, 0.1);
  EXPECT_GT(length_at(with, in), length_at(muscle, in) + 1e-3);
}

TEST(ConditionalPoints, RefuseAFractionAtANeighbour) {
  const PathPoint end = PathPoint::Fixed(kUpper, Vec3::Zero());
  for (const double fraction : {0.0, 1.0, -0.2, std::nan("")})
    EXPECT_THROW(
        PathPoint::Conditional(kUpper, Vec3::Ones(), DofIndex(0), {0, 1, 0.1}, end, end, fraction),
        Error);
}

TEST(PathWeights, ConstantsAreTakenAsTheyAre) {
  // A point midway between the two bodies' points.
  Muscle muscle = straight(0);
  muscle.points[0] = PathPoint{
      {{kUpper, Vec3(1, 0.4, 0), false, 0.5, {}}, {kLower, Vec3(1, 0, 0), false, 0.5, {}}}};
  muscle.points[1] = PathPoint::Fixed(kLower, Vec3(0.5, 0.2, 0.7));
  EXPECT_NEAR(length_at(muscle, VecX::Zero(2)), 0.7, 1e-15);
}

TEST(PathWeights, MustAddUpToOne) {
  Muscle muscle = straight(0);
  muscle.points[0].terms[0].scale = 0.9;
  EXPECT_NE(complaint(muscle).find("add up to one"), std::string::npos);
  // A window without its complement adds up in some poses only.
  muscle.points[0].terms[0].scale = 1;
  muscle.points[0].terms[0].weights = {{DofIndex(0), Window{-5, 5, 0.1}}};
  EXPECT_NE(complaint(muscle).find("add up to one"), std::string::npos);
  EXPECT_NE(complaint(muscle).find("muscle 'm'"), std::string::npos);
}

TEST(SpanPath, ValidatesItsWraps) {
  Muscle muscle = straight(0);
  muscle.spans = {{kUpper, Pose(), CylinderWrap{.radius = -0.1}}};
  EXPECT_NE(complaint(muscle).find("radius"), std::string::npos);
  EXPECT_NE(complaint(muscle).find("muscle 'm'"), std::string::npos);
}

TEST(SpanPath, RefusesRegionsThatDoNotAddUpToItsMass) {
  Muscle muscle = straight(1);
  muscle.regions = mass_regions(MassProfile::parabolic, 2);
  EXPECT_NE(complaint(muscle).find("add up to its mass"), std::string::npos);
  muscle.regions = {{0, 0.6, 1, 0, 0}, {0.4, 1, 1, 0, 0}};
  EXPECT_NE(complaint(muscle).find("overlap"), std::string::npos);
}

/// A massive muscle on one body, around a cylinder of radius r on the same, exact model, wound by
/// `angle`: its anchors are on tangents of length a.
Muscle wound_muscle(double r, double a, double angle) {
  const auto anchor = [&](double turn, double along) {
    const Vec3 e(std::cos(turn), std::sin(turn), 0), t(-std::sin(turn), std::cos(turn), 0);
    return Vec3(r * e + along * t);
  };
  Muscle muscle;
  muscle.name = "wound";
  muscle.mass = 1.3;
  muscle.points = {PathPoint::Fixed(kUpper, anchor(0.4, -a)),
                   PathPoint::Fixed(kUpper, anchor(0.4 + angle, a))};
  muscle.spans = {{kUpper, Pose(), CylinderWrap{.radius = r, .model = WrapKind::exact}}};
  return muscle;
}

TEST(MassOnArcs, IsExactForAnyAngle) {
  // Moment of inertia about the cylinder's axis, the hinge: on the arc λ r² per length, on each
  // tangent λ (r² a + a³/3).
  const double r = 0.3, a = 0.2;
  for (const double angle : {0.1, 0.5, 1.3, 2.0, kPi, 3.5}) {
    SystemBuilder builder(two_hinges());
    builder.add_muscle(wound_muscle(r, a, angle));
    const System system = builder.build();
    Workspace ws(system);
    const VecX rest = VecX::Zero(2);
    MatX fast, M;
    mass_matrix(system, {0, rest, rest}, ws, fast);
    VecX g(2);
    Linearization at;
    linearize(system, {0, rest, rest}, rest, StiffnessModel::exact, ws, g, at);

    const double density = 1.3 / (2 * a + r * angle);
    const double inertia = density * (r * angle * r * r + 2 * (r * r * a + a * a * a / 3));
    const System bare = SystemBuilder(two_hinges()).build();
    Workspace bare_ws(bare);
    mass_matrix(bare, {0, rest, rest}, bare_ws, M);
    // About the axis the field is of constant size on the arc: any rule would do. The first moments
    // would not: they show in gravity's torque, λ g times ∫x.
    EXPECT_NEAR(fast(0, 0) - M(0, 0), inertia, 1e-13);
    VecX g_bare(2);
    inverse_dynamics(bare, {0, rest, rest}, rest, bare_ws, g_bare);
    const double end = 0.4 + angle;
    const double arc_x = r * r * (std::sin(end) - std::sin(0.4));
    const double tangents_x =
        r * a * (std::cos(0.4) + std::cos(end)) + 0.5 * a * a * (std::sin(0.4) - std::sin(end));
    const double weight = system.gravity().norm();
    const double torque = density * weight * (arc_x + tangents_x);
    // 1e-13 of the integrals, that of the quadrature.
    EXPECT_NEAR(std::abs(g[0] - g_bare[0]), std::abs(torque), 1e-12) << angle;
    VecX g_fast(2);
    inverse_dynamics(system, {0, rest, rest}, rest, ws, g_fast);
    EXPECT_NEAR(std::abs(g_fast[0] - g_bare[0]), std::abs(torque), 1e-12) << angle;
  }
}

TEST(SpanPath, SaysWhereTendonsLeaveNoRoom) {
  Muscle muscle = straight(1);
  muscle.material = MaterialMap::Tendons(0.5, 0.4);
  const Skeleton skeleton = two_hinges();
  const SpanPath element(skeleton, muscle);
  SystemBuilder builder(skeleton);
  builder.add_muscle(muscle);
  const System system = builder.build();
  Workspace ws(system);
  const VecX rest = VecX::Zero(2);
  const auto status_at = [&](double elbow) {
    VecX q(2);
    q << 0, elbow;
    update_forces(system, {0, q, rest}, ws);
    const ConstVecRef at(q), rate(rest);
    element.update({skeleton, 0, at, rate, ws.skeleton}, nullptr, MuscleView::path,
                   muscle_scratch(ws).path.spans);
    return element.status(muscle_scratch(ws).path.spans);
  };
  EXPECT_EQ(status_at(0), SpanStatus::free);     // 1.1 m long
  EXPECT_EQ(status_at(2), SpanStatus::no_room);  // 0.83 m
  EXPECT_TRUE(failed(SpanStatus::no_room));
}

}  // namespace muscle_element_test
}  // namespace sinew
