#include "sinew/muscles/opensim/opensim_path_force.hpp"

#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace opensim_path_force_test {

/// Three bodies in a row on joints of all kinds; the route runs from the ground to the last around
/// a cylinder on the second, its middle point moved by a coordinate.
Skeleton chain() {
  SkeletonBuilder builder;
  BodySpec body;
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.1, 0), 0.01 * Mat3::Identity());
  body.name = "a";
  body.joint = SphericalExp();
  body.q0 = {0.1, 0.2, -0.1};
  builder.add_body(body);
  body.name = "b";
  body.parent = "a";
  body.joint = Universal();
  body.q0 = {0.2, -0.1};
  body.E_PJ = Pose::Translation(Vec3(0, -0.3, 0));
  builder.add_body(body);
  body.name = "c";
  body.parent = "b";
  body.joint = Revolute(Vec3(0.1, 0.2, 1));
  body.q0 = {0.3};
  return builder.add_body(body).build();
}

OpenSimPathPoint at(int body, const Vec3& x_B) {
  OpenSimPathPoint point;
  point.body = BodyIndex(body);
  point.x_B = x_B;
  return point;
}

OpenSimPath route(bool moving) {
  OpenSimPath path{
      "band",
      {at(0, Vec3(0.08, 0, 0.03)), at(1, Vec3(0.09, -0.1, 0.01)), at(2, Vec3(0.06, -0.3, 0))},
      {}};
  if (moving)
    path.points[1].motions.push_back(
        {Vec3::UnitX(), DofIndex(5), PolynomialFunction{{0, 0.03, 0.02}}, -2, 2});
  auto cylinder = std::make_shared<PathSurface>();
  cylinder->name = "roll";
  cylinder->body = BodyIndex(1);
  cylinder->wrap = CylinderWrap{.radius = 0.07, .half_length = 1};
  cylinder->E_BS.p = Vec3(0.04, -0.25, 0);
  path.surfaces = {{cylinder, 1, 2}};
  return path;
}

struct Case {
  Case(const OpenSimPath& path, OpenSimPathForce::Law law)
      : system(SystemBuilder(chain())
                   .set_gravity(Vec3::Zero())
                   .add_force(std::make_shared<OpenSimPathForce>(
                       std::make_shared<OpenSimPathOnSkeleton>(chain(), path), std::move(law)))
                   .build()),
        ws(system),
        q(system.default_state().q),
        qdot(6) {
    qdot << 0.3, -0.5, 0.7, 0.4, -0.6, 0.8;
  }
  /// Forces that the bodies and the band require at zero accelerations.
  VecX residual(const VecX& at_q, const VecX& at_qdot) {
    VecX g(6);
    inverse_dynamics(system, {0, at_q, at_qdot}, VecX::Zero(6), ws, g);
    return g;
  }
  System system;
  Workspace ws;
  VecX q, qdot;
};

std::vector<OpenSimPathForce::Law> laws() {
  return {PathSpringLaw{.stiffness = 300, .rest_length = 0.5},
          PathSpringLaw{.stiffness = 300, .dissipation = 0.7, .rest_length = 0.5},
          LigamentLaw{.strength = 40,
                      .rest_length = 0.4,
                      .curve = PolynomialFunction{{1, -2, 1}}}};  // (strain)²
}

TEST(OpenSimPathForce, WorkGoesIntoTheEnergyOrIsReportedAsPower) {
  for (const bool moving : {false, true})
    for (const OpenSimPathForce::Law& law : laws()) {
      Case c(route(moving), law);
      const VecX rest = VecX::Zero(6);
      const auto stored = [&](const VecX& q) {
        return energy(c.system, {0, q, rest}, c.ws).elastic;
      };
      const double h = 1e-5;
      const double storing = (stored(c.q + h * c.qdot) - stored(c.q - h * c.qdot)) / (2 * h);
      update_forces(c.system, {0, c.q, c.qdot}, c.ws);
      const double power = c.ws.forces.power;
      // The bodies' own part of the residual does not depend on the band.
      Case slack(route(moving), PathSpringLaw{.stiffness = 1, .rest_length = 9});
      const double work = (slack.residual(c.q, c.qdot) - c.residual(c.q, c.qdot)).dot(c.qdot);
      // Differences at h = 1e-5: h² and ε/h times a few joules.
      EXPECT_NEAR(work, power - storing, 1e-8);
      EXPECT_GT(std::abs(work), 0.1) << "this state shows nothing";
    }
}

TEST(OpenSimPathForce, DerivativesAgreeWithDifferences) {
  for (const bool moving : {false, true})
    for (const OpenSimPathForce::Law& law : laws()) {
      const auto* spring = std::get_if<PathSpringLaw>(&law);
      if (moving && spring && spring->dissipation > 0) continue;  // not exact there
      Case c(route(moving), law);
      VecX g(6);
      Linearization at;
      linearize(c.system, {0, c.q, c.qdot}, VecX::Zero(6), StiffnessModel::exact, c.ws, g, at);
      const auto by_q =
          check_derivative([&](const VecX& q) { return c.residual(q, c.qdot); }, c.q, at.dg_dq);
      EXPECT_TRUE(by_q.confirms()) << by_q.table();
      const auto by_qdot = check_derivative([&](const VecX& qdot) { return c.residual(c.q, qdot); },
                                            c.qdot, at.dg_dqdot);
      EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
    }
}

TEST(OpenSimPathForce, DoesNotPush) {
  for (const OpenSimPathForce::Law& law : std::vector<OpenSimPathForce::Law>{
           PathSpringLaw{.stiffness = 300, .rest_length = 2},
           LigamentLaw{.strength = 40, .rest_length = 2, .curve = LinearFunction{{1}, 3}}}) {
    Case c(route(false), law);
    update_forces(c.system, {0, c.q, c.qdot}, c.ws);
    for (const Vec6& wrench : c.ws.forces.wrench) EXPECT_EQ(wrench.norm(), 0);
  }
}

TEST(OpenSimPathForce, RefusesNumbersThatMakeNoBand) {
  const auto band = std::make_shared<OpenSimPathOnSkeleton>(chain(), route(false));
  const Skeleton skeleton = chain();
  EXPECT_THROW(OpenSimPathForce(band, PathSpringLaw{.stiffness = -1}).validate(skeleton), Error);
  EXPECT_THROW(OpenSimPathForce(band, LigamentLaw{.rest_length = 0}).validate(skeleton), Error);
}

}  // namespace opensim_path_force_test
}  // namespace sinew
