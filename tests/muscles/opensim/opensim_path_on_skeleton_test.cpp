#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/derivatives.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace opensim_path_on_skeleton_test {

/// Two links in space, three coordinates: a ball-like pair of hinges and an elbow.
Skeleton two_links() {
  SkeletonBuilder builder;
  BodySpec upper;
  upper.name = "upper";
  upper.joint = Universal{};
  upper.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.15, 0), 0.01 * Mat3::Identity());
  builder.add_body(upper);
  BodySpec lower = upper;
  lower.name = "lower";
  lower.parent = "upper";
  lower.joint_name = "elbow";
  lower.joint = Revolute(Vec3(0.1, 0.05, 1));
  lower.E_PJ = Pose::Translation(Vec3(0, -0.3, 0));
  builder.add_body(lower);
  return builder.build();
}

constexpr BodyIndex kUpper{0}, kLower{1};

OpenSimPathPoint fixed(BodyIndex body, const Vec3& x_B) {
  OpenSimPathPoint point;
  point.body = body;
  point.x_B = x_B;
  return point;
}

OpenSimPath straight_path() {
  return {"m", {fixed(kWorld, Vec3(0.05, 0.05, 0.02)), fixed(kLower, Vec3(0.04, -0.1, 0))}, {}};
}

OpenSimPathSurface around(const Wrap& wrap, const Vec3& p, int points) {
  auto surface = std::make_shared<PathSurface>();
  surface->name = "s";
  surface->body = kUpper;
  surface->wrap = wrap;
  surface->E_BS = Pose::Translation(p);
  return {surface, 0, points - 1};
}

struct Evaluated {
  OpenSimPathWorkspace course;
  VecX tau;  ///< for 1 N
};
Evaluated evaluate(const OpenSimPath& path, const VecX& pose) {
  const Skeleton skeleton = two_links();
  SkeletonWorkspace ws(skeleton);
  const VecX rest = VecX::Zero(3);
  const ConstVecRef q = pose, qdot = rest;
  update_kinematics(skeleton, q, qdot, ws);
  const SkeletonAt in{skeleton, 0, q, qdot, ws};
  const OpenSimPathOnSkeleton route(skeleton, path);
  Evaluated out{{}, VecX::Zero(3)};
  route.update(in, out.course);
  route.update_length_gradient(in, out.course);
  for (size_t k = 0; k < route.dofs().size(); ++k) out.tau[route.dofs()[k]] = -out.course.dL[k];
  return out;
}

VecX pose(double a, double b, double c) { return Vec3(a, b, c); }

/// −∂L/∂q against central differences, whose error falls with h² to rounding.
void expect_gradient(const OpenSimPath& path, const VecX& q, double tolerance) {
  const VecX tau = evaluate(path, q).tau;
  for (int k = 0; k < 3; ++k) {
    const double h = 1e-5;
    const VecX d = h * VecX::Unit(3, k);
    const double slope =
        (evaluate(path, q + d).course.length - evaluate(path, q - d).course.length) / (2 * h);
    EXPECT_NEAR(tau[k], -slope, tolerance) << "coordinate " << k;
  }
}

OpenSimPath moving_path() {
  OpenSimPath path = straight_path();
  OpenSimPathPoint point = fixed(kUpper, Vec3(0.03, -0.2, 0));
  point.motions.push_back(
      {Vec3::UnitX(), DofIndex(2), PolynomialFunction{{0.01, 0.02, 0.01}}, -2, 2});
  point.motions.push_back({Vec3(0, 0.6, 0.8), DofIndex(0), LinearFunction{{0.01}, 0}, -2, 2});
  path.points.insert(path.points.begin() + 1, point);
  return path;
}

TEST(OpenSimPathOnSkeleton, MomentArmsAreTheGradientOfTheLength) {
  const VecX q = pose(0.2, -0.3, 0.7);
  // Rounding ε/h = 1e-11, truncation h².
  expect_gradient(straight_path(), q, 1e-9);
  expect_gradient(moving_path(), q, 1e-9);
  for (const OpenSimPathSurface& surface :
       {around(CylinderWrap{.radius = 0.06, .half_length = 0.5}, Vec3(0.05, -0.15, 0), 2),
        around(SphereWrap{.radius = 0.06}, Vec3(0.05, -0.15, 0), 2),
        around(EllipsoidWrap{.semi_axes = Vec3(0.05, 0.07, 0.06)}, Vec3(0.05, -0.15, 0), 2)}) {
    OpenSimPath path = straight_path();
    path.surfaces = {surface};
    ASSERT_EQ(evaluate(path, q).course.nodes.size(), 4u);
    expect_gradient(path, q, 1e-8);
  }
}

TEST(OpenSimPathOnSkeleton, SeveralSurfacesAreMetUntilTheLengthStandsStill) {
  OpenSimPath path = straight_path();
  path.surfaces = {
      around(CylinderWrap{.radius = 0.03, .half_length = 0.5}, Vec3(0.05, -0.08, 0), 2),
      around(CylinderWrap{.radius = 0.03, .half_length = 0.5}, Vec3(0.06, -0.22, 0), 2)};
  const VecX q = pose(0.1, 0.05, 0.5);
  ASSERT_EQ(evaluate(path, q).course.nodes.size(), 6u);
  // The residual of the alternation is 1e-13 of length.
  expect_gradient(path, q, 1e-7);
}

TEST(OpenSimPathOnSkeleton, AMovingPointStopsAtItsRange) {
  OpenSimPath path = moving_path();
  path.points[1].motions[0].upper = 0.5;
  // The upper arm stays: so does the point on it.
  const double at = evaluate(path, pose(0, 0, 0.5)).course.nodes[1].x.x();
  EXPECT_EQ(evaluate(path, pose(0, 0, 0.9)).course.nodes[1].x.x(), at);
  EXPECT_NE(evaluate(path, pose(0, 0, 0.4)).course.nodes[1].x.x(), at);
}

TEST(OpenSimPathOnSkeleton, AConditionalPointBelongsToThePathWithinItsLimits) {
  OpenSimPath path = moving_path();
  path.points[1].condition = DofIndex(2);
  path.points[1].lower = 0.2;
  path.points[1].upper = 0.4;
  const auto nodes = [&](double elbow) {
    return evaluate(path, pose(0, 0, elbow)).course.nodes.size();
  };
  EXPECT_EQ(nodes(0.3), 3u);
  EXPECT_EQ(nodes(0.2 - 0.9e-5), 3u);
  EXPECT_EQ(nodes(0.2 - 1.1e-5), 2u);
  EXPECT_EQ(nodes(0.4 + 1.1e-5), 2u);
}

TEST(OpenSimPathOnSkeleton, ASurfaceIsMetOnlyBetweenPointsOfItsRange) {
  OpenSimPath path = straight_path();
  path.points.insert(path.points.begin(), fixed(kWorld, Vec3(0.06, 0.2, 0.02)));
  path.surfaces = {around(SphereWrap{.radius = 0.06}, Vec3(0.05, -0.15, 0), 3)};
  const VecX q = pose(0.2, -0.3, 0.7);
  EXPECT_EQ(evaluate(path, q).course.nodes.size(), 5u);
  path.surfaces[0].last = 1;
  EXPECT_EQ(evaluate(path, q).course.nodes.size(), 3u);
}

/// Residual of the skeleton at rest under this tension, and what linearising it gives.
VecX residual(const OpenSimPathOnSkeleton& route, const Skeleton& skeleton, const VecX& pose,
              double tension, MatX* dg_dq) {
  const int n = skeleton.dof_count();
  SkeletonWorkspace ws(skeleton);
  const VecX rest = VecX::Zero(n);
  const ConstVecRef q = pose, qdot = rest;
  update_kinematics(skeleton, q, qdot, ws);
  update_inertias(skeleton, ws);
  const SkeletonAt in{skeleton, 0, q, qdot, ws};
  OpenSimPathWorkspace course;
  route.update(in, course);
  AppliedForces forces(skeleton);
  route.add_forces(in, tension, course, forces.wrench, forces.tau);
  for (Vec6& w : forces.wrench) w = -w;
  forces.tau = -forces.tau;
  VecX g(n);
  inverse_dynamics(skeleton, Vec3::Zero(), forces, rest, ws, g);
  if (dg_dq != nullptr) {
    DerivativeWorkspace dws(skeleton);
    MatX M(n, n), dg_dqdot(n, n);
    dg_dq->resize(n, n);
    inverse_dynamics_derivatives(skeleton, view(q), view(qdot), view(rest), ws, dws, M, *dg_dq,
                                 dg_dqdot);
    route.add_derivatives(in, tension, course, *dg_dq);
  }
  return g;
}

/// A free body carries the two links, so that a coordinate moves the whole route, too.
Skeleton carried_links() {
  SkeletonBuilder builder;
  BodySpec base;
  base.name = "base";
  base.joint = Universal{};
  base.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), 0.01 * Mat3::Identity());
  BodySpec upper = base;
  upper.name = "upper";
  upper.parent = "base";
  upper.joint = Universal{};
  BodySpec lower = upper;
  lower.name = "lower";
  lower.parent = "upper";
  lower.joint = Revolute(Vec3(0.1, 0.05, 1));
  lower.E_PJ = Pose::Translation(Vec3(0, -0.3, 0));
  return builder.add_body(base).add_body(upper).add_body(lower).build();
}

OpenSimPath shifted(OpenSimPath path, int dofs) {
  const auto move = [&](BodyIndex& body) { body = BodyIndex(body == kWorld ? 0 : body.value + 1); };
  for (OpenSimPathPoint& point : path.points) {
    move(point.body);
    for (OpenSimPathPoint::Motion& motion : point.motions)
      motion.dof = DofIndex(motion.dof.value + dofs);
  }
  for (OpenSimPathSurface& route : path.surfaces) {
    auto surface = std::make_shared<PathSurface>(*route.surface);
    move(surface->body);
    route.surface = surface;
  }
  return path;
}

/// Least error of ∂g/∂q against central differences over a sweep of steps, over the largest entry.
double derivative_error(const OpenSimPath& path) {
  const Skeleton skeleton = carried_links();
  const OpenSimPathOnSkeleton route(skeleton, shifted(path, 2));
  VecX q(5);
  q << 0.3, -0.2, 0.2, -0.3, 0.7;
  MatX dg_dq;
  residual(route, skeleton, q, 10, &dg_dq);
  const auto by_q = [&](const VecX& at) { return residual(route, skeleton, at, 10, nullptr); };
  return check_derivative(by_q, q, dg_dq).best_error;
}

TEST(OpenSimPathOnSkeleton, CoordinatesThatOnlyCarryItAreLeftOut) {
  const Skeleton skeleton = carried_links();
  const OpenSimPathOnSkeleton route(skeleton, shifted(straight_path(), 2));
  EXPECT_EQ(route.dofs(), (std::vector<int>{2, 3, 4}));
}

TEST(OpenSimPathOnSkeleton, SecondDerivativesAreExactForStraightPiecesCylindersAndSpheres) {
  // 10 N differentiated at h ≈ 1e-5: 1e-10 of truncation and of rounding.
  EXPECT_LT(derivative_error(straight_path()), 1e-8);
  EXPECT_LT(derivative_error(moving_path()), 1e-8);
  const Vec3 at(0.05, -0.15, 0);
  const auto error = [&](const Wrap& wrap) {
    OpenSimPath path = straight_path();
    path.surfaces = {around(wrap, at, 2)};
    path.points[0].x_B.z() = 0.06;  // the path climbs
    return derivative_error(path);
  };
  EXPECT_LT(error(CylinderWrap{.radius = 0.06, .half_length = 0.5}), 1e-8);
  EXPECT_LT(error(SphereWrap{.radius = 0.06}), 1e-8);
  // Touch points held on their surface: near enough for Newton's method, not exact.
  const double held = error(EllipsoidWrap{.semi_axes = Vec3(0.05, 0.07, 0.06)});
  EXPECT_LT(held, 0.5);
  EXPECT_GT(held, 1e-6);
}

TEST(OpenSimPathOnSkeleton, AllocatesNothingOnceItsScratchIsThere) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const Skeleton skeleton = two_links();
  OpenSimPath path = moving_path();
  path.surfaces = {
      around(CylinderWrap{.radius = 0.03, .half_length = 0.5}, Vec3(0.05, -0.08, 0), 3),
      around(EllipsoidWrap{.semi_axes = Vec3(0.05, 0.06, 0.07)}, Vec3(0.06, -0.22, 0), 3)};
  const OpenSimPathOnSkeleton route(skeleton, path);
  SkeletonWorkspace ws(skeleton);
  const VecX pose = Vec3(0.1, 0.05, 0.5), rest = VecX::Zero(3);
  const ConstVecRef q = pose, qdot = rest;
  update_kinematics(skeleton, q, qdot, ws);
  const SkeletonAt in{skeleton, 0, q, qdot, ws};
  OpenSimPathWorkspace course;
  std::vector<Vec6> wrench(static_cast<size_t>(skeleton.link_count()), Vec6::Zero());
  VecX tau = VecX::Zero(3);
  MatX dg_dq = MatX::Zero(3, 3);
  const auto evaluate_all = [&] {
    route.update(in, course);
    route.update_length_gradient(in, course);
    route.add_forces(in, 1, course, wrench, tau);
    route.add_derivatives(in, 1, course, dg_dq);
  };
  evaluate_all();
  const test::AllocationGuard guard;
  evaluate_all();
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace opensim_path_on_skeleton_test
}  // namespace sinew
