#include "sinew/model/joint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"
#include "support/joint_evaluation.hpp"
#include "support/joint_examples.hpp"
#include "support/random.hpp"

namespace sinew {
namespace joint_test {

using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

/// The Error of validate for a joint; empty if there is none.
std::string complaint(const Joint& joint) {
  try {
    joint.validate("joint 'j'");
  } catch (const Error& error) {
    EXPECT_THAT(error.element(), ::testing::StartsWith("joint 'j'"));
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return {};
}

std::vector<Pose> line_of_frames(int n) {
  std::vector<Pose> frames;
  for (int i = 0; i < n; ++i) frames.push_back(Pose::Translation(Vec3(i, 0, 0)));
  return frames;
}

TransformAxis linear(const Vec3& axis, int coordinate) {
  return {axis, LinearFunction{{1}, 0}, {coordinate}};
}

/// A function joint of n angles with the given rotations; it translates along y by coordinate 0.
FunctionJoint rotations(int n, std::array<TransformAxis, 3> axes) {
  return FunctionJoint(std::vector<CoordinateKind>(static_cast<size_t>(n)), std::move(axes),
                       {{{Vec3::UnitX()}, linear(Vec3::UnitY(), 0), {Vec3::UnitZ()}}});
}

TEST(Joint, EveryTypeHasANameOfItsOwn) {
  std::set<std::string> names;
  std::set<size_t> alternatives;
  for (const auto& example : test::joint_examples()) {
    names.insert(example.joint.type_name());
    alternatives.insert(example.joint.variant().index());
  }
  EXPECT_EQ(names.size(), std::variant_size_v<Joint::Variant>);
  EXPECT_EQ(alternatives.size(), std::variant_size_v<Joint::Variant>) << "an example is missing";
}

TEST(Composite, NumbersItsCoordinatesThroughNestedParts) {
  const Joint joint = Composite{{Free2D(), Fixed(), Composite{{Prismatic(Vec3::UnitZ())}},
                                 SplineCurve::Uniform(line_of_frames(5), SplineEnds::open)}};
  using enum CoordinateKind;
  const std::vector<CoordinateKind> expected{length, length, angle, length, parameter};
  ASSERT_EQ(joint.dof(), 5);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(joint.kind(k), expected[static_cast<size_t>(k)]) << k;
}

TEST(Composite, GroupingOfItsPartsDoesNotMatter) {
  const Joint a = Helical(Vec3(0, 1, 1), 0.3), b = Elliptic(0.8, 1.1), c = SphericalExp();
  const Joint left = Composite{{Composite{{a, b}}, c}}, right = Composite{{a, Composite{{b, c}}}};
  const VecX q = test::vec({0.3, 0.7, 0.5, -1, 0.4}), qdot = test::vec({1, -0.4, 0.6, 0.2, 0.9});
  EXPECT_LE(test::largest_difference(left, right, q, qdot), 1e-14);  // rounding
}

TEST(JointValidation, RejectsAxesWithoutDirection) {
  EXPECT_THAT(complaint(Revolute(Vec3::Zero())), HasSubstr("axis has no direction"));
  EXPECT_THAT(complaint(Prismatic(Vec3(0, NAN, 1))), HasSubstr("axis is not finite"));
  EXPECT_THAT(complaint(Prismatic(Vec3(0, INFINITY, 1))), HasSubstr("axis is not finite"));
  EXPECT_THAT(complaint(Helical(Vec3::Zero(), 1)), HasSubstr("axis has no direction"));
  EXPECT_EQ(complaint(Revolute(Vec3(0, 1e-200, 0))), "");
  EXPECT_EQ(complaint(Revolute(Vec3(0, 1e200, 1e200))), "");
}

TEST(JointValidation, RejectsBadNumbers) {
  EXPECT_THAT(complaint(Helical(Vec3::UnitX(), NAN)), HasSubstr("pitch is not finite"));
  EXPECT_THAT(complaint(Elliptic(0, 1)), HasSubstr("semi-axes are not positive"));
  EXPECT_THAT(complaint(Elliptic(1, -1)), HasSubstr("semi-axes are not positive"));
  EXPECT_THAT(complaint(Elliptic(1, NAN)), HasSubstr("semi-axes are not positive"));
}

TEST(JointValidation, RejectsUnknownEulerOrders) {
  for (const char* order : {"", "xy", "xyzx", "xxy", "xyy", "XYZ", "abc"})
    EXPECT_THAT(complaint(SphericalEuler(order)),
                HasSubstr("unknown Euler order '" + std::string(order) + "'"));
}

TEST(JointValidation, RejectsBadComposites) {
  EXPECT_THAT(complaint(Composite{}), HasSubstr("no parts"));
  EXPECT_THAT(complaint(Composite{{Free3D(), Revolute(Vec3::UnitX())}}),
              HasSubstr("composite joint has 7 coordinates"));
  EXPECT_THAT(complaint(Composite{{Universal(), Composite{{Revolute(Vec3::Zero())}}}}),
              HasSubstr("joint 'j', part 2, part 1: axis has no direction"));
  EXPECT_THAT(complaint(Composite{{Revolute(Vec3::UnitX()), Revolute(Vec3::UnitX())}}),
              HasSubstr("coordinates of the composite joint are not independent"));
  EXPECT_THAT(complaint(Composite{{SphericalExp(), Universal()}}), HasSubstr("not independent"));
}

TEST(JointValidation, RejectsBadSplineCurves) {
  const auto curve = [](std::vector<Pose> frames) {
    return complaint(SplineCurve::Uniform(std::move(frames), SplineEnds::open));
  };
  EXPECT_THAT(curve(line_of_frames(3)), HasSubstr("spline curve has 3 frames"));
  EXPECT_THAT(curve({}), HasSubstr("spline curve has 0 frames"));
  EXPECT_EQ(curve(line_of_frames(4)), "");

  std::vector<Pose> frames = line_of_frames(5);
  frames[2].R(0, 1) = 0.01;
  EXPECT_THAT(curve(frames), HasSubstr("frame 3 of the spline curve is not a rigid motion"));
  frames[2].R = Vec3(1, 1, -1).asDiagonal();
  EXPECT_THAT(curve(frames), HasSubstr("frame 3 of the spline curve is not a rigid motion"));
  frames[2] = Pose::Translation(Vec3(NAN, 0, 0));
  EXPECT_THAT(curve(frames), HasSubstr("frame 3 of the spline curve is not a rigid motion"));
  frames[2] = Pose::Rotation(rotation_about(Vec3::UnitY(), kPi));
  EXPECT_THAT(curve(frames), HasSubstr("frames 2 and 3 of the spline curve are half a turn apart"));
  frames = line_of_frames(6);
  frames[2] = frames[3] = frames[4] = frames[1];
  EXPECT_THAT(curve(frames), HasSubstr("stands still: frames 2 to 5 coincide"));
  // There and back, turning where no sample is; then the same with a bend, which never stops.
  frames.clear();
  for (const double x : {0.0, 1.0, 2.0, 1.93, 0.8, -0.5})
    frames.push_back(Pose::Translation({x, 0, 0}));
  EXPECT_THAT(curve(frames), HasSubstr("stands still at q = "));
  frames[2].p.y() = 0.01;
  EXPECT_EQ(curve(frames), "");
}

TEST(JointValidation, RepairsRotationsTypedWithSixDigits) {
  std::vector<Pose> frames = line_of_frames(5);
  frames[2].R = rotation_about(Vec3(1, 2, 3).normalized(), 0.3);
  for (int i = 0; i < 9; ++i)
    frames[2].R.data()[i] = std::round(frames[2].R.data()[i] * 1e7) * 1e-7;
  const SplineCurve curve = SplineCurve::Uniform(frames, SplineEnds::open);
  EXPECT_EQ(complaint(curve), "");
  const Mat3& R = curve.frames()[2].R;
  EXPECT_LE((R.transpose() * R - Mat3::Identity()).norm(), 1e-15);
}

TEST(JointValidation, RejectsBadKnots) {
  const auto open = [](const std::vector<double>& knots) {
    return complaint(SplineCurve::WithKnots(line_of_frames(4), SplineEnds::open, knots));
  };
  EXPECT_EQ(open({0, 1, 2, 3, 4, 5, 6, 7}), "");
  EXPECT_THAT(open({0, 1, 2, 3}), HasSubstr("4 knots given where 8 are needed"));
  EXPECT_THAT(open({0, 1, 2, 4, 4, 5, 6, 7}), HasSubstr("knots do not increase"));
  EXPECT_THAT(open({0, 1, 2, 4, 3, 5, 6, 7}), HasSubstr("knots do not increase"));
  EXPECT_THAT(open({0, 1, 2, 3, NAN, 5, 6, 7}), HasSubstr("knot 5 is not finite"));
  std::vector<Pose> frames = line_of_frames(6);
  frames[3] = frames[2];
  EXPECT_THAT(complaint(SplineCurve::Natural(frames, SplineEnds::open, 1)),
              HasSubstr("let no two neighbouring frames coincide"));
  EXPECT_THAT(complaint(SplineCurve::Natural(line_of_frames(5), SplineEnds::open, 0)),
              HasSubstr("characteristic length is not positive"));
}

TEST(JointValidation, RejectsBadGrids) {
  test::Random random(1);
  std::array<MatX, 6> grids;
  const auto reset = [&] {
    for (MatX& grid : grids) grid = random.matx(4, 5);
  };
  reset();
  EXPECT_EQ(complaint(SplineSurface(grids)), "");
  grids[2] = MatX::Zero(4, 6);
  EXPECT_THAT(complaint(SplineSurface(grids)), HasSubstr("the grid of z differs in size"));
  reset();
  grids[0] = MatX::Zero(3, 5);
  EXPECT_THAT(complaint(SplineSurface(grids)), HasSubstr("the grid of x is smaller than 4 x 4"));
  reset();
  grids[5](1, 2) = NAN;
  EXPECT_THAT(complaint(SplineSurface(grids)),
              HasSubstr("the grid of rotation z has a value that is not finite"));
  for (MatX& grid : grids) grid = MatX::Ones(4, 1) * random.matx(1, 5);
  EXPECT_THAT(complaint(SplineSurface(grids)), HasSubstr("not independent"));
}

/// A sheet of the x-y plane whose x turns back along q₁ by as much as `fold`: x′ = 1 − fold there.
std::array<MatX, 6> folded_sheet(double fold) {
  std::array<MatX, 6> grids;
  grids.fill(MatX::Zero(6, 9));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 9; ++j) {
      grids[0](i, j) = j - (j > 4 ? 0.75 * fold * (j > 5 ? 1 : 2) : 0);
      grids[1](i, j) = i + 0.1 * j;
    }
  return grids;
}

// Both points at which a joint's coordinates are compared may lie beside the fold.
TEST(JointValidation, RejectsSurfacesThatFold) {
  EXPECT_EQ(complaint(SplineSurface(folded_sheet(0))), "");
  EXPECT_THAT(complaint(SplineSurface(folded_sheet(3))),
              HasSubstr("the coordinates of the spline surface are not independent at q = "));
  EXPECT_THAT(complaint(SplineSurface(folded_sheet(3)).reversed()), HasSubstr("not independent"));
  // One that folds between the times at which it is sampled: 1 − 1.5 f(t) at its smallest.
  const auto folding = [](double largest) {
    std::array<MatX, 6> change = folded_sheet(3), flat = folded_sheet(0);
    for (size_t k = 0; k < 6; ++k) change[k] -= flat[k];
    return SplineSurface(flat).deforming({{change, SineFunction{largest, 1, 0.3, 0}}});
  };
  EXPECT_THAT(complaint(folding(1)), HasSubstr(" and t = "));
  EXPECT_EQ(complaint(folding(0.1)), "");
}

TEST(JointValidation, RejectsBadFunctions) {
  const TransformAxis x = linear(Vec3::UnitX(), 0), still{Vec3::UnitZ()};
  EXPECT_EQ(complaint(rotations(1, {{x, still, still}})), "");
  EXPECT_THAT(complaint(rotations(0, {{still, still, still}})), HasSubstr("has 0 coordinates"));
  EXPECT_THAT(complaint(rotations(1, {{linear(Vec3::UnitX(), 1), still, still}})),
              HasSubstr("rotation axis 1: there is no coordinate 1"));
  EXPECT_THAT(complaint(rotations(1, {{x, linear(Vec3::UnitX(), -1), still}})),
              HasSubstr("rotation axis 2: there is no coordinate -1"));
  EXPECT_THAT(
      complaint(rotations(1, {{x, {Vec3::UnitY(), LinearFunction{{1, 2}, 0}, {0}}, still}})),
      HasSubstr("its function takes 2 coordinates, not 1"));
  EXPECT_THAT(complaint(rotations(1, {{x, {Vec3::UnitY(), SineFunction{}, {}}, still}})),
              HasSubstr("its function takes 1 coordinates, not 0"));
  EXPECT_THAT(complaint(rotations(1, {{x, {Vec3::Zero()}, still}})),
              HasSubstr("rotation axis 2 has no direction"));
  EXPECT_THAT(complaint(rotations(1, {{x, {Vec3::UnitY(), ConstantFunction{NAN}}, still}})),
              HasSubstr("rotation axis 2: function has a coefficient that is not finite"));
  EXPECT_THAT(complaint(rotations(3, {{x, linear(Vec3::UnitX(), 1), linear(-Vec3::UnitX(), 2)}})),
              HasSubstr("the three rotation axes are parallel"));
  // A coordinate that nothing uses, and two that only act together.
  EXPECT_THAT(complaint(rotations(2, {{x, still, still}})), HasSubstr("not independent"));
  const LinearFunction sum{{1, 1}, 0};
  const FunctionJoint together(
      {CoordinateKind::angle, CoordinateKind::angle},
      {{{Vec3::UnitX(), sum, {0, 1}}, {Vec3::UnitY(), sum, {1, 0}}, still}},
      {{still, {Vec3::UnitX()}, {Vec3::UnitY()}}});
  EXPECT_THAT(complaint(together), HasSubstr("not independent"));
}

}  // namespace joint_test
}  // namespace sinew
