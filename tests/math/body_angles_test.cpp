#include "sinew/math/body_angles.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace sinew {
namespace body_angles_test {

Mat3 rotation(const Vec3& xyz) {
  return (Eigen::AngleAxisd(xyz[0], Vec3::UnitX()) * Eigen::AngleAxisd(xyz[1], Vec3::UnitY()) *
          Eigen::AngleAxisd(xyz[2], Vec3::UnitZ()))
      .toRotationMatrix();
}

TEST(BodyAngles, GiveTheRotationBack) {
  for (const double a : {-3.0, -0.4, 0.0, 1.2, 3.1})
    for (const double b : {-1.5, -0.3, 0.0, 0.9, 1.57})
      for (const double c : {-2.7, 0.0, 0.6}) {
        const Vec3 angles = body_fixed_xyz(rotation({a, b, c}));
        EXPECT_LT((angles - Vec3(a, b, c)).norm(), 1e-9) << a << ' ' << b << ' ' << c;
      }
}

TEST(BodyAngles, AtARightAngleTheLastIsZero) {
  for (const double b : {-std::numbers::pi / 2, std::numbers::pi / 2}) {
    const Mat3 R = rotation({0.3, b, 0.5});
    const Vec3 angles = body_fixed_xyz(R);
    EXPECT_EQ(angles[2], 0);
    EXPECT_LT((rotation(angles) - R).norm(), 1e-12);
  }
}

}  // namespace body_angles_test
}  // namespace sinew
