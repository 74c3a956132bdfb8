#include "sinew/report/report_frame.hpp"

#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace report_frame_test {

const Vec3 kPoint(0.1, 0.2, -0.3);  // body frame

/// Pulls a point of the first body towards the origin of the world with 3 N, as a user's own force
/// may.
class Tether final : public Force {
 public:
  Tether() : Force("tether") {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override {
    const Vec3 x = body_pose(in.skeleton, in.ws, BodyIndex{0}) * kPoint;
    out.add_force(1, x - in.ws.link[1].p, -3 * x.normalized());
  }
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  void validate(const Skeleton&) const override {}
  ForceArrow arrow() const override { return {.drawn = true}; }
  std::vector<MovingShape> shapes() const override { return {{name(), "rope", 2}}; }
  void draw(const SkeletonAt& in, std::vector<double>& points) const override {
    draw_point(in, kWorld, Vec3::Zero(), points);
    draw_point(in, BodyIndex{0}, kPoint, points);
  }
};

TEST(ReportFrame, DrawsAForceOfAUsersProgram) {
  BodySpec body;
  body.name = "body";
  body.joint = Revolute{Vec3::UnitZ()};
  body.E_PJ.p = {0.5, 0, 0};
  body.M_B = SpatialInertia::FromCentral(1, {0, 0, 0}, Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(body).build());
  builder.add_force(std::make_shared<Tether>());
  const System system = builder.build();

  ASSERT_EQ(drawn_lines(system).size(), 1u);
  EXPECT_EQ(drawn_lines(system)[0].kind, "rope");
  EXPECT_TRUE(drawn_surfaces(system).empty());
  FrameDrawer drawer(system);
  ASSERT_EQ(drawer.forces().size(), 1u);
  EXPECT_FALSE(drawer.forces()[0].contact);

  State state = system.default_state();
  state.q[0] = 0.7;
  DrawnFrame frame;
  drawer.update(state, system.controls(), frame);
  const Vec3 x = Vec3(0.5, 0, 0) + Eigen::AngleAxisd(0.7, Vec3::UnitZ()) * kPoint;
  ASSERT_EQ(frame.lines.size(), 6u);
  EXPECT_EQ(Vec3(frame.lines.data()), Vec3(Vec3::Zero()));
  EXPECT_TRUE(Vec3(frame.lines.data() + 3).isApprox(x, 1e-14));
  ASSERT_EQ(frame.forces.size(), 6u);
  const Vec3 at(frame.forces.data()), f(frame.forces.data() + 3);
  EXPECT_TRUE(f.isApprox(-3 * x.normalized(), 1e-14));
  EXPECT_LT(at.cross(f).norm(), 1e-14) << "not on the line of action";
}

}  // namespace report_frame_test
}  // namespace sinew
