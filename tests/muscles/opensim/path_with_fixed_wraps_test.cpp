#include "sinew/muscles/opensim/path_with_fixed_wraps.hpp"

#include <gtest/gtest.h>

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "sinew/muscles/path/span_path.hpp"

namespace sinew {
namespace path_with_fixed_wraps_test {

/// A thigh that hangs along −y and a shank below it; the knee turns about z.
Skeleton leg() {
  SkeletonBuilder builder;
  BodySpec bone;
  bone.name = "thigh";
  bone.joint = Fixed{};
  bone.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), Vec3(0.01, 0.01, 0.01).asDiagonal());
  builder.add_body(bone);
  bone.name = "shank";
  bone.parent = "thigh";
  bone.joint = Revolute{Vec3::UnitZ()};
  bone.E_PJ.p = Vec3(0, -0.4, 0);
  builder.add_body(bone);
  return builder.build();
}

std::shared_ptr<PathSurface> cylinder(const std::string& name, double radius, int side = 0) {
  auto out = std::make_shared<PathSurface>();
  out->name = name;
  out->body = BodyIndex(0);
  out->E_BS.p = Vec3(0, -0.4, 0);
  out->wrap = CylinderWrap{.radius = radius, .half_length = 0.1};
  out->sign = side;  // of x
  return out;
}

OpenSimPathPoint at(int body, double x, double y) {
  return {BodyIndex(body), Vec3(x, y, 0), {}, 0, 0, {}};
}

/// Behind (x < 0) or in front of the knee.
OpenSimPath across(double x) {
  OpenSimPath out;
  out.name = "muscle";
  out.points = {at(0, x, -0.1), at(1, x, -0.2)};
  out.surfaces = {{cylinder("condyle", 0.03, x < 0 ? -1 : 1), 0, 1}};
  return out;
}

std::vector<VecX> bent(double from, double to) {
  std::vector<VecX> out;
  for (int k = 0; k <= 10; ++k) out.push_back(VecX::Constant(1, from + (to - from) * k / 10));
  return out;
}

double length_of(const PathWithFixedWraps& route, const Skeleton& skeleton, const VecX& q) {
  SkeletonWorkspace ws(skeleton);
  update_kinematics(skeleton, q, VecX::Zero(1), ws);
  const PathSpan& span = route.spans[0];
  const Pose E_SW = (body_pose(skeleton, ws, span.body) * span.E_BS).inverse();
  const auto place = [&](const PathPoint& point) {
    return Vec3(E_SW * (body_pose(skeleton, ws, point.terms[0].body) * point.terms[0].x_B));
  };
  auto exact = std::get<CylinderWrap>(span.wrap);
  exact.model = WrapKind::exact;
  double length = 0;
  Vec3 by_o, by_i;
  const Vec3 o = place(route.points[0]), i = place(route.points[1]);
  exact.length_gradient(exact.solve(o, i), o, i, length, by_o, by_i);
  return length;
}

TEST(PathWithFixedWraps, WrapsOnTheSideOnWhichThePosesDo) {
  const Skeleton skeleton = leg();
  for (const double x : {-0.02, 0.02}) {
    const OpenSimPath path = across(x);
    const auto poses = x < 0 ? bent(0, 0.5) : bent(-0.5, 0);  // the knee bends away from the muscle
    const PathWithFixedWraps route = fix_wraps(path, skeleton, poses);
    const auto& wrap = std::get<CylinderWrap>(route.spans[0].wrap);
    // Down behind the axis is counter-clockwise about z.
    EXPECT_EQ(wrap.side, x < 0 ? WrapSide::counter_clockwise : WrapSide::clockwise);
    EXPECT_TRUE(route.left_out.empty());
    SkeletonWorkspace ws(skeleton);
    const OpenSimPathOnSkeleton exact(skeleton, path);
    OpenSimPathWorkspace course;
    const VecX rest = VecX::Zero(1);
    const ConstVecRef qdot = rest;
    for (const VecX& pose : poses) {
      const ConstVecRef q = pose;
      update_kinematics(skeleton, q, qdot, ws);
      exact.update({skeleton, 0, q, qdot, ws}, course);
      EXPECT_NEAR(length_of(route, skeleton, q), course.length, 1e-12);
    }
  }
}

TEST(PathWithFixedWraps, LeavesAwayWhatNoPoseMeets) {
  const Skeleton skeleton = leg();
  EXPECT_TRUE(std::holds_alternative<Straight>(
      fix_wraps(across(-0.1), skeleton, bent(0, 0.1)).spans[0].wrap));
}

/// The length of the whole path with its surfaces as they are, and as OpenSim finds it.
std::pair<double, double> lengths(const OpenSimPath& path, const PathWithFixedWraps& fixed,
                                  const Skeleton& skeleton, const VecX& q) {
  SkeletonWorkspace ws(skeleton);
  const VecX rest = VecX::Zero(1);
  const ConstVecRef at = q, qdot = rest;
  update_kinematics(skeleton, at, qdot, ws);
  const SkeletonAt in{skeleton, 0, at, qdot, ws};
  OpenSimPathWorkspace course;
  OpenSimPathOnSkeleton(skeleton, path).update(in, course);
  Muscle muscle;
  muscle.name = "muscle";
  muscle.points = fixed.points;
  muscle.spans = fixed.spans;
  const SpanPath spans(skeleton, muscle);
  SpanPathWorkspace scratch;
  spans.update(in, nullptr, MuscleView::path, scratch);
  EXPECT_FALSE(failed(spans.status(scratch)));
  return {spans.length(scratch), course.length};
}

TEST(PathWithFixedWraps, TwoSurfacesOnOneSegmentGetAPointBetween) {
  const Skeleton skeleton = leg();
  OpenSimPath path = across(-0.02);
  auto other = cylinder("other", 0.035, -1);
  other->E_BS.p.y() = -0.3;
  path.surfaces.push_back({other, 0, 1});
  const std::vector<VecX> poses = bent(0, 0.3);
  const PathWithFixedWraps route = fix_wraps(path, skeleton, poses);
  EXPECT_TRUE(route.left_out.empty());
  ASSERT_EQ(route.spans.size(), 2u);
  ASSERT_EQ(route.points.size(), 3u);
  for (const PathSpan& span : route.spans)
    EXPECT_TRUE(std::holds_alternative<CylinderWrap>(span.wrap));
  for (const VecX& q : poses) {
    const auto [fixed, found] = lengths(path, route, skeleton, q);
    EXPECT_NEAR(fixed, found, 1e-3) << q;  // of 0.5 m: the point between stays where it is
  }
}

TEST(PathWithFixedWraps, DoesNotWrapAroundASurfaceThatAnEndIsInsideOf) {
  const Skeleton skeleton = leg();
  OpenSimPath path = across(-0.02);
  path.surfaces[0].surface = cylinder("thick", 0.03, -1);
  // Bent so far that the lower end, 0.2 m below the knee, cannot be inside; the upper end is.
  path.points[0] = at(0, -0.02, -0.385);
  std::vector<VecX> poses = bent(0, 0.5);
  const PathWithFixedWraps inside = fix_wraps(path, skeleton, poses);
  EXPECT_TRUE(std::holds_alternative<Straight>(inside.spans[0].wrap));
}

OpenSimPathPoint when(OpenSimPathPoint point, double lower, double upper) {
  point.condition = DofIndex(0);
  point.lower = lower;
  point.upper = upper;
  return point;
}

/// No weight of a point depends on a coordinate: nothing accelerates because a point comes or goes.
void expect_constant_weights(const PathWithFixedWraps& route) {
  for (const PathPoint& point : route.points)
    for (const PathTerm& term : point.terms) EXPECT_TRUE(term.weights.empty());
}

OpenSimPath with_condition(double lower, double upper) {
  OpenSimPath path = across(-0.1);
  path.surfaces.clear();
  path.points.insert(path.points.begin() + 1, when(at(0, -0.12, -0.3), lower, upper));
  return path;
}

TEST(PathWithFixedWraps, PointsThatComeAndGoStayBetweenBothPlaces) {
  const Skeleton skeleton = leg();
  const OpenSimPath path = with_condition(-1, 0);
  const PathWithFixedWraps route = fix_wraps(path, skeleton, bent(-0.5, 0.5));
  ASSERT_EQ(route.points.size(), 3u);
  expect_constant_weights(route);
  // Where the point is away, the path is longer than OpenSim's; where it is there, shorter.
  for (const double q : {-0.4, 0.4}) {
    const auto [fixed, found] = lengths(path, route, skeleton, VecX::Constant(1, q));
    EXPECT_EQ(fixed < found, q < 0) << q;
  }
}

TEST(PathWithFixedWraps, PointsThatDoNotSwitchInThePosesLeaveOpenSimsPath) {
  const Skeleton skeleton = leg();
  for (const bool there : {true, false}) {
    const OpenSimPath path = there ? with_condition(-1, 1) : with_condition(1, 2);
    const PathWithFixedWraps route = fix_wraps(path, skeleton, bent(-0.5, 0.5));
    EXPECT_EQ(route.points.size(), there ? 3u : 2u);
    for (const double q : {-0.5, 0.0, 0.5}) {
      const auto [fixed, found] = lengths(path, route, skeleton, VecX::Constant(1, q));
      EXPECT_NEAR(fixed, found, 1e-15);
    }
  }
}

/// The more poses have the point, the nearer is the path to the one with it.
TEST(PathWithFixedWraps, ThePlaceFollowsThePoses) {
  const Skeleton skeleton = leg();
  double last = 0;
  for (const double limit : {-0.3, 0.0, 0.3}) {
    const PathWithFixedWraps route =
        fix_wraps(with_condition(-1, limit), skeleton, bent(-0.5, 0.5));
    const double length = lengths(across(-0.1), route, skeleton, VecX::Zero(1)).first;
    EXPECT_GT(length, last);
    last = length;
  }
}

/// Both come when the knee bends, the second one later.
TEST(PathWithFixedWraps, NeighboursThatComeAndGoBothTakePart) {
  const Skeleton skeleton = leg();
  for (const bool first_is_wider : {true, false}) {
    OpenSimPath path = across(-0.1);
    path.surfaces.clear();
    path.points.insert(path.points.begin() + 1,
                       {when(at(0, -0.13, -0.25), -3, first_is_wider ? -0.5 : -1),
                        when(at(0, -0.12, -0.35), -3, first_is_wider ? -1 : -0.5)});
    const PathWithFixedWraps route = fix_wraps(path, skeleton, bent(-1.5, 0.5));
    ASSERT_EQ(route.points.size(), 4u);
    expect_constant_weights(route);
  }
}

TEST(PathWithFixedWraps, APointThatComesAndGoesBesideASurfaceIsThereAsInMostPoses) {
  const Skeleton skeleton = leg();
  OpenSimPath path = across(-0.02);
  path.surfaces[0].last = 2;
  for (const double limit : {0.1, 0.4}) {
    OpenSimPath more = path;
    more.points.insert(more.points.begin() + 1, when(at(0, -0.03, -0.2), -1, limit));
    const PathWithFixedWraps route = fix_wraps(more, skeleton, bent(0, 0.5));
    EXPECT_EQ(route.points.size(), limit > 0.25 ? 3u : 2u);
    EXPECT_TRUE(std::holds_alternative<CylinderWrap>(route.spans.back().wrap));
  }
}

}  // namespace path_with_fixed_wraps_test
}  // namespace sinew
