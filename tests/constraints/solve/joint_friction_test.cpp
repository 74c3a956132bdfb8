#include "sinew/constraints/solve/joint_friction.hpp"

#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace joint_friction_test {

/// Shortest normal loads by a pseudo-inverse, from points and normals written out.
struct Points {
  std::vector<Vec3> x, n;
  VecX loads(const Vec3& M, const Vec3& F) const {
    MatX Nt(6, static_cast<Eigen::Index>(x.size()));
    for (size_t i = 0; i < x.size(); ++i)
      Nt.col(static_cast<Eigen::Index>(i)) << x[i].cross(n[i]), n[i];
    VecX f(6);
    f << M, F;
    return Nt.completeOrthogonalDecomposition().solve(f);
  }
};

TEST(BearingLoad, OfAPinIsTheShortest) {
  const double r = 0.3, H = 0.5;
  Points points;
  for (int k = 0; k < 4; ++k)
    for (const double z : {-H / 2, H / 2}) {
      const double angle = k * M_PI / 2;
      const Vec3 n(std::cos(angle), std::sin(angle), 0), x = r * n + z * Vec3::UnitZ();
      points.x.insert(points.x.end(), {x, x});
      points.n.insert(points.n.end(), {-n, Vec3(0, 0, z > 0 ? -1 : 1)});
    }
  const Vec3 F(1, -2, 0.7), M(0.3, 0.5, 0);
  const BearingLoad load = bearing_load(CylinderBearing{r, H}, 2, M, F);
  EXPECT_NEAR(load.bound[0], r * points.loads(M, F).cwiseAbs().sum(), 1e-12);
  EXPECT_NEAR(load.friction[0][2], 1, 1e-12);  // a unit couple about the pin, and something more
  // A moment about the pin is not a load.
  EXPECT_NEAR(bearing_load(CylinderBearing{r, H}, 2, M + Vec3(0, 0, 9), F).bound[0], load.bound[0],
              1e-12);
}

TEST(BearingLoad, OfARailIsTheShortest) {
  const Vec3 half(0.4, 0.1, 0.25);
  for (int slide = 0; slide < 3; ++slide) {
    Points points;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 s(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      for (const int side : {(slide + 1) % 3, (slide + 2) % 3}) {
        points.x.push_back(s.cwiseProduct(half));
        points.n.push_back(-s[side] * Vec3::Unit(side));
      }
    }
    Vec3 F(1, -2, 0.7);
    const Vec3 M(0.3, 0.5, -0.2);
    F[slide] = 0;
    const BearingLoad load = bearing_load(BoxBearing{2 * half}, slide, M, F);
    EXPECT_NEAR(load.bound[0], points.loads(M, F).cwiseAbs().sum(), 1e-12);
    EXPECT_NEAR(load.friction[0][3 + slide], 1, 1e-12);
  }
}

TEST(BearingLoad, OfABallResistsAcrossTheForce) {
  const BearingLoad load = bearing_load(BallBearing{0.1}, 2, Vec3(9, 9, 9), Vec3(3, -4, 0));
  EXPECT_NEAR(load.bound[0], 0.4, 1e-15);
  EXPECT_NEAR(load.bound[1], 0.3, 1e-15);
  EXPECT_NEAR(load.bound[2], 0.7, 1e-15);
}

TEST(BearingErrors, NameTheBearing) {
  BodySpec spec;
  spec.name = "a";
  spec.joint = Revolute{Vec3::UnitZ()};
  spec.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), Mat3::Identity());
  const Skeleton skeleton = SkeletonBuilder().add_body(spec).build();
  const auto problem = [&](const JointFriction& bearing) {
    try {
      SystemBuilder(skeleton).add_bearing(bearing).build();
    } catch (const Error& e) {
      return e.element() + ": " + e.problem();
    }
    return std::string("none");
  };
  EXPECT_EQ(problem({"pin", BallBearing{0.1}, 0.5, BodyIndex(0), "", Vec3::UnitZ()}),
            "bearing 'pin': does not fit a joint of type 'revolute'");
  EXPECT_EQ(problem({"pin", CylinderBearing{0, 1}, 0.5, BodyIndex(0), "", Vec3::UnitZ()}),
            "bearing 'pin': its size is not positive");
  EXPECT_EQ(problem({"pin", CylinderBearing{1, 1}, -1, BodyIndex(0), "", Vec3::UnitZ()}),
            "bearing 'pin': its friction is negative or not finite");
  EXPECT_EQ(problem({"pin", CylinderBearing{1, 1}, 1, kWorld, "loop", Vec3::UnitZ()}),
            "bearing 'pin': there is no closure 'loop'");
}

}  // namespace joint_friction_test
}  // namespace sinew
